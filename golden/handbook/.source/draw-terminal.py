#!/usr/bin/env python3
"""Draws terminal-manual.png, the front of the card terminal with letters A to F. Usage: draw-terminal.py OUT.png"""
import sys
from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/liberation/LiberationSans-Bold.ttf"
INK, CASE, GLASS = (40, 40, 40), (224, 228, 232), (190, 214, 230)


def label(draw, font, letter, start, end):
    draw.line([start, end], fill=INK, width=3)
    x, y = end
    draw.ellipse([x - 22, y - 22, x + 22, y + 22], fill="white", outline=INK, width=3)
    draw.text((x, y), letter, font=font, fill=INK, anchor="mm")


def main(target):
    image = Image.new("RGB", (900, 1000), "white")
    draw = ImageDraw.Draw(image)
    font, small = ImageFont.truetype(FONT, 26), ImageFont.truetype(FONT, 22)
    draw.rounded_rectangle([270, 60, 630, 940], radius=40, fill=CASE, outline=INK, width=4)
    draw.rounded_rectangle([300, 85, 600, 165], radius=16, fill=(206, 210, 214), outline=INK, width=3)
    for index, colour in enumerate([(60, 170, 90), (60, 170, 90), (60, 170, 90), (214, 214, 214)]):
        draw.ellipse([345 + 60 * index, 190, 375 + 60 * index, 220], fill=colour, outline=INK, width=2)
    draw.rounded_rectangle([310, 245, 590, 345], radius=14, fill="white", outline=INK, width=3)
    for radius in (18, 32, 46):
        draw.arc([450 - radius, 295 - radius, 450 + radius, 295 + radius], -50, 50, fill=INK, width=5)
    draw.rounded_rectangle([310, 370, 590, 690], radius=10, fill=GLASS, outline=INK, width=3)
    draw.text((450, 480), "19.99 EUR", font=font, fill=INK, anchor="mm")
    draw.text((450, 540), "present card", font=small, fill=INK, anchor="mm")
    for index, colour in enumerate([(200, 60, 50), (232, 190, 60), (70, 160, 90)]):
        draw.rounded_rectangle([318 + 94 * index, 725, 394 + 94 * index, 785], radius=12, fill=colour, outline=INK, width=3)
    draw.rectangle([350, 880, 550, 900], fill=INK)
    label(draw, font, "A", (330, 205), (150, 205))
    label(draw, font, "B", (590, 295), (760, 295))
    label(draw, font, "C", (310, 530), (150, 530))
    label(draw, font, "D", (586, 755), (760, 755))
    label(draw, font, "E", (350, 890), (150, 890))
    label(draw, font, "F", (600, 125), (760, 125))
    image.save(target, optimize=True)


main(sys.argv[1])
