//! nDCG@k: discounted gain over that of the ideal list, both cut at k. `ndcg@k` has linear gain (`ndcg_cut_k` of trec_eval; Järvelin and
//! Kekäläinen 2002), `ndcg_exp@k` has gain 2^grade - 1 (Burges et al. 2005).

use std::ops::Add;

use super::JudgedList;

/// How a grade becomes gain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// The grade itself.
    Linear,
    /// 2^grade - 1.
    Exponential,
}

impl Gain {
    fn of(self, grade: u32) -> f64 {
        match self {
            Self::Linear => f64::from(grade),
            // Above 1,000 the sum of gains would not be finite. Integers overflow at 63 already.
            Self::Exponential => 2_f64.powf(f64::from(grade.min(1000))) - 1.0,
        }
    }
}

/// nDCG@k, 0 to 1; `None` without labels.
pub fn ndcg(list: &JudgedList, k: usize, gain: Gain) -> Option<f64> {
    let discount = |position: usize| (position as f64 + 1.0).log2();
    // Folds, because `sum` of no numbers is -0, which people would see.
    let mut grades: Vec<u32> = list.items.iter().map(|item| item.grade).collect();
    grades.sort_unstable_by_key(|grade| std::cmp::Reverse(*grade));
    let ideal: f64 = grades.iter().take(k).enumerate().map(|(i, grade)| gain.of(*grade) / discount(i + 1)).fold(0.0, Add::add);
    let within = list.positions().into_iter().filter(|(position, _)| *position <= k);
    let found: f64 = within.map(|(position, grade)| gain.of(grade) / discount(position)).fold(0.0, Add::add);
    (ideal > 0.0).then(|| (found / ideal).min(1.0))
}
