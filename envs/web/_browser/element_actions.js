// Runs beside page_observer.js in the same world: finds where an element can be touched, and does what no real input can do.
// Every function answers an object; `error` says in words why it cannot be done, and then nothing has changed.
(() => {
  const ag = globalThis.agentgym;
  if (ag.find) return;
  const TEXTS = new Set(['text', 'search', 'email', 'url', 'tel', 'password', 'number']);
  const PICKY = { number: '12.5', date: '2024-12-31', time: '23:59', month: '2024-12', week: '2024-W52',
    'datetime-local': '2024-12-31T23:59', color: '#rrggbb' };  // fields that take no other texts than such
  const label = element => {
    const what = ag.role(element) || element.tagName.toLowerCase();
    const text = ag.name(element, what) || element.id || '';
    return what + (text ? ' ' + ag.quote(text, 60) : '');
  };
  const refuse = error => ({ error });

  function get(own) {
    const element = ag.element(own);
    if (!element) return refuse(`there is no element [${own}] on this page`);
    if (!element.isConnected) return refuse(`element [${own}] is no longer on the page`);
    return element;
  }
  function outer(view) {  // from a frame to the page: where its corner is, and the frames it lies in
    const chain = [];
    let x = 0, y = 0;
    while (view !== window && view.frameElement) {
      const frame = view.frameElement, rect = frame.getBoundingClientRect();
      x += rect.left + frame.clientLeft;
      y += rect.top + frame.clientTop;
      chain.push(frame);
      view = frame.ownerDocument.defaultView;
    }
    return { x, y, chain };
  }
  function deepest(root, x, y) {
    let hit = root.elementFromPoint(x, y);
    while (hit && hit.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  }
  function holds(element, other) {  // whether `other` lies in `element`, shadow roots included
    for (let node = other; node; node = node.parentNode || node.host) if (node === element) return true;
    return false;
  }
  function spots(element) {  // points where it may be touched, the likeliest first
    const points = [];
    const rects = [...element.getClientRects()].filter(rect => rect.width > 0.5 && rect.height > 0.5);
    if (!rects.length) {
      const box = element.getBoundingClientRect();
      if (box.width || box.height) rects.push(box);
    }
    for (const rect of rects) points.push([rect.left + rect.width / 2, rect.top + rect.height / 2]);
    if (element instanceof SVGGeometryElement && element.getScreenCTM()) {
      const along = element.getPointAtLength(element.getTotalLength() * 0.3).matrixTransform(element.getScreenCTM());
      points.push([along.x, along.y]);
    }
    for (const rect of rects.slice(0, 4))
      for (const v of [0.5, 0.2, 0.8, 0.05, 0.95]) for (const u of [0.2, 0.8, 0.05, 0.95, 0.5])
        points.push([rect.left + rect.width * u, rect.top + rect.height * v]);
    return points;
  }
  function touch(element) {  // a point where a click reaches the element, in the page's viewport
    const view = element.ownerDocument.defaultView, { x, y, chain } = outer(view);
    let cover = null;
    for (const [left, top] of spots(element)) {
      if (left < 0 || top < 0 || left >= view.innerWidth || top >= view.innerHeight) continue;
      const hit = deepest(element.ownerDocument, left, top);
      const mine = hit && (holds(element, hit) || (element.labels && [...element.labels].some(one => holds(one, hit))) ||
        (hit.tagName === 'LABEL' && hit.control === element));
      const outside = chain.length && deepest(document, left + x, top + y);
      if (mine && (!chain.length || outside === chain[chain.length - 1])) return { x: left + x, y: top + y };
      cover = cover || hit;
    }
    return { cover };
  }
  const scrolled = element => {
    const saved = [];
    for (let node = element; node; node = node.parentNode || node.host || node.defaultView?.frameElement)
      if (node.scrollTop || node.scrollLeft || node.scrollHeight > node.clientHeight) saved.push([node, node.scrollLeft, node.scrollTop]);
    return saved;
  };
  function reach(own, anyState) {
    const element = get(own);
    if (element.error) return element;
    if (element.tagName === 'OPTION') return refuse(`[${own}] is an option of a list; use select on the list`);
    if (!ag.seen(element) && !(element instanceof SVGElement)) {
      const named = element.labels && [...element.labels].find(ag.seen);
      if (!named) return refuse(`element [${own}] (${label(element)}) is hidden`);
    }
    if (!anyState && ag.disabled(element)) return refuse(`element [${own}] (${label(element)}) is disabled`);
    const saved = scrolled(element);
    let found = touch(element);
    if (found.x === undefined) {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      found = touch(element);
    }
    if (found.x !== undefined) return { ...found, element };
    for (const [node, left, top] of saved) { node.scrollLeft = left; node.scrollTop = top; }
    if (!found.cover) return refuse(`element [${own}] (${label(element)}) lies outside what can be seen`);
    // Not numbered anew: an action that is refused must leave the numbers to come as they are.
    const known = ag.numbered(found.cover) ? `[${ag.numbered(found.cover)}] ` : '';
    return refuse(`element [${own}] (${label(element)}) is covered by ${known}(${label(found.cover)}); deal with that first`);
  }
  const done = (element, ...types) => {
    for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true, composed: true }));
    return { done: true };
  };
  const setter = (element, property) => {
    for (let proto = Object.getPrototypeOf(element); proto; proto = Object.getPrototypeOf(proto)) {
      const found = Object.getOwnPropertyDescriptor(proto, property);
      if (found && found.set) return value => found.set.call(element, value);
    }
    return value => { element[property] = value; };
  };
  function editable(own) {
    let element = get(own);
    if (element.error) return element;
    if (element.tagName === 'LABEL' && element.control) element = element.control;
    const writes = element.tagName === 'TEXTAREA' || element.isContentEditable ||
      (element.tagName === 'INPUT' && !['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file', 'hidden'].includes(element.type));
    if (!writes) return refuse(`element [${own}] (${label(element)}) takes no text` +
      (element.tagName === 'SELECT' ? '; use select' : ''));
    if (ag.disabled(element)) return refuse(`element [${own}] (${label(element)}) is disabled`);
    if (element.readOnly) return refuse(`element [${own}] (${label(element)}) is read-only`);
    if (!ag.seen(element)) return refuse(`element [${own}] (${label(element)}) is hidden`);
    return element;
  }

  Object.assign(ag, {
    find(own, anyState) {
      const found = reach(own, anyState);
      if (found.error) return found;
      const element = found.element, answer = { x: found.x, y: found.y };
      if (element.draggable && !['IMG', 'A'].includes(element.tagName)) answer.draggable = true;
      if (element.tagName === 'SELECT') answer.list = true;
      return answer;
    },
    where(own) {  // the middle of an element for dragging and scrolling over it, covered or not
      const element = get(own);
      if (element.error) return element;
      const found = reach(own, true);
      if (!found.error) return { x: found.x, y: found.y, draggable: element.draggable };
      const rect = element.getBoundingClientRect(), { x, y } = outer(element.ownerDocument.defaultView);
      return { x: rect.left + rect.width / 2 + x, y: rect.top + rect.height / 2 + y };
    },
    corner(own) {  // where the content of a frame begins
      const element = get(own);
      if (element.error) return element;
      const rect = element.getBoundingClientRect(), { x, y } = outer(element.ownerDocument.defaultView);
      return { x: rect.left + element.clientLeft + x, y: rect.top + element.clientTop + y };
    },
    ready(own, text) {  // focus a field with all its text selected, so that typed text replaces it
      const element = editable(own);
      if (element.error) return element;
      if (text && element.type === 'number') {  // the browser would drop what is no number without a word
        const trial = element.cloneNode();
        setter(trial, 'value')(text.trim());
        if (trial.value === '') return refuse(`${ag.quote(text, 60)} is no value for element [${own}] (number); write it as 12.5`);
      }
      element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      element.focus({ preventScroll: true });
      if (element.tagName === 'INPUT' && !TEXTS.has(element.type)) return { sets: element.type };
      if (element.select) element.select();
      else element.ownerDocument.getSelection().selectAllChildren(element);
      return { empty: !(element.value !== undefined ? element.value : element.innerText) };
    },
    holds(own) {  // what the field named, or the one with the focus, holds, where it takes but some texts
      let element = own ? get(own) : document.activeElement;
      if (element?.error) return element;
      while (!own && element && (element.shadowRoot?.activeElement || element.contentDocument?.activeElement))
        element = element.shadowRoot?.activeElement || element.contentDocument.activeElement;
      if (element?.tagName === 'LABEL' && element.control) element = element.control;
      if (element?.tagName !== 'INPUT' || !PICKY[element.type]) return {};
      return { value: element.value, bad: element.validity.badInput, what: label(element), how: PICKY[element.type] };
    },
    set(own, text) {  // sliders, dates and colours hold values that cannot be typed alike everywhere
      const element = editable(own);
      if (element.error) return element;
      const before = element.value;
      setter(element, 'value')(text);
      if (element.value !== text && !(element.type === 'range' && Number(element.value) === Number(text))) {
        const got = element.value;
        setter(element, 'value')(before);
        return refuse(`${ag.quote(text, 60)} is no value for element [${own}] (${element.type}); ` + (element.type === 'range' ?
          `choose from ${element.min || 0} to ${element.max || 100} in steps of ${element.step || 1}, not ${got}` :
          `write it as ${PICKY[element.type] || 'text'}`));
      }
      return done(element, 'input', 'change');
    },
    choose(own, wanted) {
      const element = get(own);
      if (element.error) return element;
      if (element.tagName !== 'SELECT') return refuse(`element [${own}] (${label(element)}) is no list to select from; click it`);
      if (ag.disabled(element)) return refuse(`element [${own}] (${label(element)}) is disabled`);
      if (!ag.seen(element)) return refuse(`element [${own}] (${label(element)}) is hidden`);
      if (wanted.length > 1 && !element.multiple) return refuse(`element [${own}] (${label(element)}) takes one option only`);
      const picked = [];
      for (const text of wanted) {
        const same = option => [ag.flat(option.label), ag.flat(option.text), option.value].includes(text);
        const loose = option => ag.flat(option.label).toLowerCase() === text.toLowerCase();
        const options = [...element.options];
        const option = options.find(same) || options.find(loose);
        if (!option) {
          const known = options.slice(0, 40).map(one => ag.quote(ag.flat(one.label), 60)).join(', ');
          return refuse(`element [${own}] has no option ${ag.quote(text, 60)}; it has: ${known}`);
        }
        if (option.disabled) return refuse(`the option ${ag.quote(text, 60)} is disabled`);
        picked.push(option);
      }
      element.focus();
      if (!element.multiple && picked[0].selected) return { done: true };
      for (const option of element.options) option.selected = picked.includes(option);
      return done(element, 'input', 'change');
    },
    checked(own) {
      const element = get(own);
      if (element.error) return element;
      const box = element.tagName === 'LABEL' && element.control || element;
      if (box.checked === undefined && !box.hasAttribute('aria-checked')) return refuse(`element [${own}] (${label(element)}) cannot be checked`);
      return { checked: box.checked !== undefined ? box.checked : box.getAttribute('aria-checked') === 'true' };
    },
    focus(own) {
      const element = get(own);
      if (element.error) return element;
      if (ag.disabled(element)) return refuse(`element [${own}] (${label(element)}) is disabled`);
      element.focus();
      return { done: true };
    },
    attach(own, given) {  // files by name and content; a label stands for its field, however hidden that is
      let element = get(own);
      if (element.error) return element;
      const held = element.closest('label');
      if (held?.control?.type === 'file') element = held.control;
      if (element.tagName !== 'INPUT' || element.type !== 'file') {
        if (editable(own).error === undefined || element.tagName === 'SELECT')
          return refuse(`element [${own}] (${label(element)}) takes no file`);
        return { opens: true };
      }
      if (ag.disabled(element)) return refuse(`element [${own}] (${label(element)}) is disabled`);
      if (given.length > 1 && !element.multiple) return refuse(`element [${own}] (${label(element)}) takes one file only`);
      const transfer = new DataTransfer();
      for (const [name, base64] of given) {
        const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
        transfer.items.add(new File([bytes], name, { lastModified: 0 }));
      }
      element.files = transfer.files;
      return done(element, 'input', 'change');
    },
    scroll(own, dx, dy) {  // by screens of the page, or of a part of it that scrolls by itself
      let element = own ? get(own) : document.scrollingElement || document.documentElement;
      if (element.error) return element;
      const moves = node => {
        const before = [node.scrollLeft, node.scrollTop];
        node.scrollBy({ left: dx * node.clientWidth * 0.9, top: dy * node.clientHeight * 0.9, behavior: 'instant' });
        return node.scrollLeft !== before[0] || node.scrollTop !== before[1];
      };
      for (; element; element = own ? element.parentElement : null) if (moves(element)) return { done: true };
      return { done: false };
    },
    touchable() {  // the numbers of all elements that a click would reach now, without scrolling
      const found = { click: [], text: [], select: [] };
      for (const own of ag.known()) {
        const element = ag.element(own);
        if (!element || !element.isConnected || element.tagName === 'OPTION' || ag.disabled(element)) continue;
        if (!(ag.seen(element) || element instanceof SVGElement)) continue;
        if (element.tagName === 'SELECT') { found.select.push([own, [...element.options].filter(one => !one.disabled).map(one => ag.flat(one.label))]); continue; }
        if (touch(element).x === undefined) continue;
        found.click.push(own);
        if (editable(own).error === undefined) found.text.push(own);
      }
      return found;
    },
  });
})();
