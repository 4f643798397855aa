// Runs in every page before its own scripts, in the page's world. Time stands still until the agent acts, then moves by a
// fixed span in which due timers run in order; random numbers come from a seed. So equal actions have equal effects, and
// a page that waits a second costs no second. KEY and SEED are put in by the caller.
((key, seed) => {
  if (window[key]) { window[key].hear(); return; }  // the page opened its document anew: only listen again
  const native = { Date, performance: performance.now.bind(performance), MessageChannel };
  const EPOCH = Date.UTC(2025, 0, 15, 12);
  const MOST_WINDOWS = 10, FRAME = 1000 / 60, MOST = 2000, PATIENCE = 8000, WAITING = 2500;  // ms, callbacks, real ms for one span and for one answer
  const timers = new Map();
  let now = 0, handles = 0, nesting = 0, running = false;

  function schedule(kind, callback, delay, args, every) {
    delay = Math.max(nesting >= 5 && kind === 'timer' ? 4 : 1, Number(delay) || 0);
    const due = kind === 'frame' ? (Math.floor(now / FRAME + 1e-6) + 1) * FRAME : now + delay;
    const level = kind === 'timer' ? nesting + 1 : 0;
    timers.set(++handles, { due, kind, callback, args, every: every ? Math.max(delay, 4) : 0, level });
    return handles;
  }
  function next(end) {
    let handle = 0, best = Infinity;
    for (const [number, timer] of timers)
      if (timer.due <= end && timer.due < best) { handle = number; best = timer.due; }
    return handle;
  }
  function run(handle) {
    const timer = timers.get(handle);
    now = Math.max(now, timer.due);
    if (timer.every) timer.due = now + timer.every; else timers.delete(handle);
    nesting = timer.level;
    try {
      if (timer.kind === 'frame') timer.callback(now);
      else if (timer.kind === 'idle') timer.callback({ didTimeout: false, timeRemaining: () => 50 });
      else if (typeof timer.callback === 'function') timer.callback.apply(window, timer.args);
      else (0, eval)(String(timer.callback));
    } catch (error) { reportError(error); } finally { nesting = 0; }
  }
  const turn = () => new Promise(done => {  // lets promises and finished requests have their turn
    const channel = new native.MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  let flying = 0, given_up = 0;  // requests of the page's scripts under way: time stands still until they are answered
  const landed = () => { flying--; given_up = Math.min(given_up, flying); };
  const fetch = window.fetch;
  window.fetch = (...given) => {
    flying++;
    const answer = fetch.apply(window, given);
    answer.then(response => response.clone().arrayBuffer().catch(() => 0)).then(landed, landed);
    return answer;
  };
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...given) {
    flying++;
    this.addEventListener('loadend', landed, { once: true });
    try { return send.apply(this, given); } catch (error) { landed(); throw error; }
  };
  async function quiet(began) {
    do { await turn(); } while (flying > given_up && native.performance() - began < WAITING);
    given_up = flying;  // what did not come in time is not waited for again
    await turn();  // a form is sent, and a promise kept, only after the click that asks for it
  }
  async function advance(span) {
    if (running) return;
    running = true;
    const end = now + span, began = native.performance();
    await quiet(began);
    for (let count = 0; count < MOST; count++) {
      if (flying > given_up) await quiet(native.performance());
      const handle = next(end);
      if (!handle || native.performance() - began > PATIENCE) break;
      run(handle);
      await turn();
    }
    now = end;
    opened = 0;
    running = false;
  }

  window.setTimeout = (callback, delay, ...args) => schedule('timer', callback, delay, args, false);
  window.setInterval = (callback, delay, ...args) => schedule('timer', callback, delay, args, true);
  window.requestAnimationFrame = callback => schedule('frame', callback, 0, [], false);
  window.requestIdleCallback = callback => schedule('idle', callback, 1, [], false);
  window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = window.cancelIdleCallback =
    handle => { timers.delete(Number(handle)); };
  performance.now = () => now;
  window.Date = function Date(...parts) {
    if (!new.target) return new native.Date(EPOCH + now).toString();
    return Reflect.construct(native.Date, parts.length ? parts : [EPOCH + now], new.target);
  };
  Object.setPrototypeOf(window.Date, native.Date);
  window.Date.prototype = native.Date.prototype;
  window.Date.prototype.constructor = window.Date;
  window.Date.now = () => Math.floor(EPOCH + now);

  const open = window.open;
  let opened = 0;  // windows since the clock last moved: a storm of them would take the browser's time, not the page's
  window.open = function (...given) {
    if (++opened <= MOST_WINDOWS) return open.apply(window, given);
    document.dispatchEvent(new CustomEvent(key + 'refused'));
    return null;
  };
  // What was never on the page, by which scripts save files and ask for them: its click is seen by nobody else.
  const apart = (element, event) => {
    if (event && event.type !== 'click' || element.isConnected) return;
    if (element instanceof HTMLAnchorElement && element.hasAttribute('download'))
      document.dispatchEvent(new CustomEvent(key + 'saves', { detail: element.href }));
    if (element instanceof HTMLInputElement && element.type === 'file')
      document.dispatchEvent(new CustomEvent(key + 'chooses'));
  };
  const { click } = HTMLElement.prototype, { dispatchEvent } = EventTarget.prototype;
  HTMLElement.prototype.click = function () { apart(this); return click.call(this); };
  for (const kind of [HTMLAnchorElement, HTMLInputElement])
    kind.prototype.dispatchEvent = function (event) { apart(this, event); return dispatchEvent.call(this, event); };

  let state = seed >>> 0;  // mulberry32
  function random() {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  Math.random = random;
  crypto.getRandomValues = array => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = random() * 256;
    return array;
  };

  // What can be clicked, and what hides in closed shadow roots, is told to the agent's eyes in their own world.
  const told = [];
  const report = target => document.dispatchEvent(new MouseEvent(key + 'listens', { relatedTarget: target }));
  const tell = target => {
    if (!(target instanceof Element)) return;
    if (told.length < 50000) told.push(new WeakRef(target));
    report(target);
  };
  const pointer = new Set(['click', 'mousedown', 'mouseup', 'dblclick', 'pointerdown', 'pointerup', 'touchstart']);
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (pointer.has(type)) tell(this);
    return listen.call(this, type, ...rest);
  };
  for (const prototype of [HTMLElement.prototype, SVGElement.prototype])
    for (const name of ['onclick', 'onmousedown', 'onmouseup', 'ondblclick']) {
      const { get, set } = Object.getOwnPropertyDescriptor(prototype, name);
      Object.defineProperty(prototype, name, {
        get, configurable: true, enumerable: true, set(handler) { if (handler) tell(this); set.call(this, handler); },
      });
    }
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) { return attach.call(this, { ...options, mode: 'open' }); };

  const hear = () => {  // once in each document; in one that was opened anew nobody listens any more
    if (!document.dispatchEvent(new CustomEvent(key + 'heard', { cancelable: true }))) return;
    listen.call(document, key + 'heard', event => event.preventDefault());
    listen.call(document, key + 'retell', () => {
      for (const reference of told) { const target = reference.deref(); if (target) report(target); }
    });
    listen.call(document, key + 'advance', event => {
      event.preventDefault();
      advance(Number(event.detail)).then(() => document.dispatchEvent(new CustomEvent(key + 'advanced')));
    });
  };
  let kept = new Map();  // timers of the page itself, which a page that is used again begins with
  const keep = () => { kept = new Map([...timers].map(([handle, timer]) => [handle, { ...timer, due: timer.due - now }])); };
  const reset = anew => {
    timers.clear();
    for (const [handle, timer] of kept) timers.set(handle, { ...timer });
    now = 0; state = anew >>> 0; Math.random = random;
  };
  Object.defineProperty(window, key, { value: { hear, keep, reset } });
  hear();
})
