"""Files and folders appear whole, and two writers for one target never mix their parts."""

import stat
from pathlib import Path

import pytest

from service.base.drafts import new_file, new_folder


def test_a_folder_appears_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "night[1]"
    with new_folder(target) as draft:
        (draft / "a").write_text("one")
        assert not target.exists()
    assert [each.name for each in target.parent.iterdir()] == [target.name]
    assert (target / "a").read_text() == "one"
    assert stat.S_IMODE(target.stat().st_mode) == 0o700


def test_of_two_writers_the_later_one_is_refused_and_the_first_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "night"
    with pytest.raises(FileExistsError), new_folder(target) as slow:
        (slow / "a").write_text("slow")
        with new_folder(target) as quick:
            (quick / "a").write_text("quick")
        (slow / "b").write_text("slow")
    assert {each.name: each.read_text() for each in target.iterdir()} == {"a": "quick"}
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(FileExistsError), new_folder(target):
        pytest.fail("it is there")


def test_drafts_of_killed_writers_are_removed_and_no_others(tmp_path: Path) -> None:
    target = tmp_path / "night"
    (tmp_path / "night.killed.part").mkdir()
    (tmp_path / "night.killed.part" / "a").write_text("half")
    (tmp_path / "nightfall.other.part").mkdir()
    with new_folder(target) as running, new_file(target.with_suffix(".zip")):
        with pytest.raises(RuntimeError), new_folder(target):
            raise RuntimeError
        assert running.is_dir()
    assert {each.name for each in tmp_path.iterdir()} == {
        "night", "night.zip", "nightfall.other.part",
    }  # fmt: skip


def test_a_file_is_for_its_owner_and_replaces_another_only_on_demand(tmp_path: Path) -> None:
    target = tmp_path / "season.bundle"
    with new_file(target) as draft:
        draft.write_text("one")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError), new_file(target):
        pytest.fail("it is there")
    with pytest.raises(RuntimeError), new_file(target, replace=True) as draft:
        draft.write_text("half")
        raise RuntimeError
    assert target.read_text() == "one"
    with new_file(target, replace=True) as draft:
        draft.write_text("two")
    assert (target.read_text(), list(tmp_path.iterdir())) == ("two", [target])
