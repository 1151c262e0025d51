"""Dictionary lines to one gloss a word."""

from __future__ import annotations

import pytest

from mdmemd.text.cedict import glosses


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("組件 组件 [zu3 jian4] /module/unit/component/assembly/", {"组件": "module", "組件": "module"}),
        ("貓 猫 [mao1] /cat/CL:隻|只[zhi1]/", {"猫": "cat", "貓": "cat"}),
        ("選擇 选择 [xuan3 ze2] /to select; to pick/choice/", {"选择": "select", "選擇": "select"}),
        ("器 器 [qi4] /(bound form) device/tool (for a task)/", {"器": "tool"}),
        ("裏 里 [li3] /variant of 裡|里[li3]/inside, within/", {"里": "inside", "裏": "inside"}),
        ("走馬 走马 [zou3 ma3] /to go on horseback at a great speed/", {}),
        ("# 组件 组件 [x] /comment/", {}),
        ("no entry at all", {}),
        ("", {}),
    ],
)
def test_the_first_sense_that_translates_is_the_gloss(line: str, expected: dict[str, str]) -> None:
    assert glosses([line]) == expected


def test_a_name_gives_way_to_the_word_of_the_same_characters_and_the_first_entry_wins() -> None:
    lines = ["高 高 [Gao1] /Gao City/", "高 高 [gao1] /high/", "高 高 [gao4] /other reading/"]
    assert glosses(lines)["高"] == "high"
    assert glosses(lines[:1])["高"] == "Gao City"
