"""Methods written into compiled classes: what a file must hold, and what Java makes of it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from agentgym.envs._kit.class_file import ClassFile, with_clearing, with_hash_code, with_memory

SOURCE = """
public class Counter {
  public int calls = 0;
  public long number() { return 41L; }
  public String twice(String text) { calls++; return text + text; }
  public String joined(String one, String other) { calls++; return one + other; }
  public String after(String one, String other) { return joined(one, other) + calls; }
}
"""
PLAYER = """
import java.util.HashMap;
public class Play {
  public static void main(String[] given) throws Exception {
    Counter counter = new Counter();
    for (String name : new String[] {"twice", "joined"}) {
      Counter.class.getField(name + "$memory").set(null, new HashMap<Object, Object>());
      java.lang.reflect.Method recall = Counter.class.getMethod(name + "$recall", Object.class);
      Counter.class.getField(name + "$ask").set(null, (java.util.function.Function<Object, Object>) key -> {
        try { return recall.invoke(counter, key); } catch (Exception error) { throw new RuntimeException(error); }
      });
    }
    System.out.println(counter.twice("a") + counter.twice("a") + counter.twice("b") + counter.calls);
    System.out.println(counter.joined("a", "b") + counter.joined("a", "b") + counter.joined("b", "a") + counter.calls);
    System.out.println(counter.after("a", "b"));
    System.out.println(counter.hashCode());
  }
}
"""
TEXT = "java/lang/String"
KIND = f"(L{TEXT};L{TEXT};)L{TEXT};"
compiler = pytest.mark.skipif(shutil.which("javac") is None, reason="there is no Java compiler here")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("classes")
    for name, source in (("Counter", SOURCE), ("Play", PLAYER)):
        (made / f"{name}.java").write_text(source)
    subprocess.run(["javac", "--release", "8", "-nowarn", "Counter.java"], cwd=made, check=True, capture_output=True)
    subprocess.run(["javac", "Play.java"], cwd=made, check=True, capture_output=True)
    return made


@pytest.mark.full
@compiler
def test_a_class_that_is_not_changed_is_the_same_file(folder):
    data = (folder / "Counter.class").read_bytes()
    assert ClassFile(data).to_bytes() == data


@pytest.mark.full
@compiler
def test_methods_remember_until_their_memory_is_cleared(folder):
    """Java verifies and runs what was written: equal parameters are asked once, and a clearing forgets them."""
    file = folder / "Counter.class"
    data = with_memory(with_memory(file.read_bytes(), "twice", (TEXT,), TEXT), "joined", (TEXT, TEXT), TEXT)
    data = with_clearing(data, "after", KIND, 2, ("Counter", "joined"))
    file.write_bytes(with_hash_code(data, "number"))
    told = subprocess.run(["java", "-cp", ".", "Play"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert told.splitlines() == ["aaaabb2", "ababba4", "ab5", "41"]


@pytest.mark.full
@compiler
def test_a_method_that_is_not_there_is_refused(folder):
    with pytest.raises(LookupError, match="no method thrice"):
        with_memory((folder / "Play.class").read_bytes(), "thrice", (TEXT,), TEXT)
