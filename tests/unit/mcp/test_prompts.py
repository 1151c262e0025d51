"""Prompts: complete texts, made of our sentences and the person's words."""

from __future__ import annotations

import pytest

from mdmemd.errors import InvalidRequestError
from mdmemd.mcp.prompts import ARGUMENT_CHARACTERS_MAX, DATA_RULE, PROMPTS, Prompt, prompt_text
from mdmemd.mcp.tools.catalogue import TOOLS


def filled(prompt: Prompt) -> dict[str, str]:
    return {argument.name: f"<{argument.name}>" for argument in prompt.arguments}


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_every_argument_gets_into_the_text(prompt: Prompt) -> None:
    _, text = prompt_text(prompt.name, filled(prompt))
    assert all(value in text for value in filled(prompt).values())
    assert text.endswith(DATA_RULE)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_only_what_is_required_has_to_be_given(prompt: Prompt) -> None:
    given = {argument.name: "x" for argument in prompt.arguments if argument.required}
    _, text = prompt_text(prompt.name, given)
    assert "root=" not in text
    for name in given:
        with pytest.raises(InvalidRequestError, match=f"needs '{name}'"):
            prompt_text(prompt.name, given | {name: "  "})


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_the_tools_that_a_text_names_exist(prompt: Prompt) -> None:
    _, text = prompt_text(prompt.name, filled(prompt))
    words = {word.strip(".,:`()") for word in text.split()}
    named = {word for word in words if "_" in word}
    assert named
    assert named <= {tool.name for tool in TOOLS}


def test_g4_an_unknown_argument_or_prompt_names_the_valid_ones() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        prompt_text("answer-from-docs", {"question": "x", "query": "y"})
    assert caught.value.remedy == "It has question, root."
    with pytest.raises(InvalidRequestError) as caught:
        prompt_text("answer-from-doc", {})
    assert caught.value.remedy == "Did you mean answer-from-docs?"
    with pytest.raises(InvalidRequestError) as caught:
        prompt_text("zzz", {})
    assert "onboard-to-project" in caught.value.remedy


def test_an_argument_is_bounded() -> None:
    with pytest.raises(InvalidRequestError, match=f"has {ARGUMENT_CHARACTERS_MAX + 1} characters"):
        prompt_text("answer-from-docs", {"question": "x" * (ARGUMENT_CHARACTERS_MAX + 1)})
