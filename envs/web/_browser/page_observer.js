// Runs in every page in a world of its own, where the page's scripts can neither see nor change it: reads the page as an
// outline, finds what an action names, and lets the page's clock move. KEY is put in by the caller.
(key => {
  if (globalThis.agentgym) return;
  const listens = new WeakSet();
  let numbers = new WeakMap(), elements = new Map(), last = 0;
  const SILENT = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'HEAD', 'LINK', 'META', 'TITLE', 'DEFS', 'DATALIST',
    'LEGEND', 'CAPTION']);
  const MOST_NODES = 30000, MOST_LINES = 4000, LONG_NAME = 300, LONG_TEXT = 2000, MOST_OPTIONS = 40;
  const INPUTS = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file upload', color: 'color picker',
    date: 'date picker', time: 'time picker', month: 'month picker', week: 'week picker',
    'datetime-local': 'date and time picker', password: 'password box',
  };
  const TAGS = {
    BUTTON: 'button', TEXTAREA: 'textbox', OPTION: 'option', IMG: 'image', SUMMARY: 'disclosure', NAV: 'navigation',
    DIALOG: 'dialog', TABLE: 'table', TR: 'row', TD: 'cell', TH: 'header cell', IFRAME: 'frame', CANVAS: 'canvas',
    VIDEO: 'video', AUDIO: 'audio', PROGRESS: 'progressbar', METER: 'meter', LI: 'item', AREA: 'link', FRAME: 'frame',
  };
  const SHAPES = new Set(['circle', 'rect', 'ellipse', 'line', 'path', 'polygon', 'polyline', 'text', 'image']);
  const CONTROLS = new Set(['button', 'link', 'textbox', 'searchbox', 'checkbox', 'radio', 'slider', 'spinbutton',
    'combobox', 'listbox', 'option', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'switch', 'treeitem',
    'password box', 'file upload', 'color picker', 'date picker', 'time picker', 'month picker', 'week picker',
    'date and time picker', 'disclosure', 'video', 'audio']);
  const BOXES = new Set(['navigation', 'dialog', 'alertdialog', 'table', 'grid', 'row', 'frame', 'tablist', 'menu',
    'menubar', 'tree', 'tabpanel', 'toolbar', 'alert', 'status', 'group', 'radiogroup', 'region', 'form', 'item', 'feed',
    'article', 'listbox', 'search', 'cell', 'header cell', 'gridcell', 'columnheader', 'rowheader']);
  const NAMED = new Set(['group', 'region', 'form', 'article', 'search']);  // told only where they have a name
  const COLORS = { '#ff0000': 'red', '#0000ff': 'blue', '#008000': 'green', '#ffff00': 'yellow', '#000000': 'black',
    '#ffffff': 'white', '#808080': 'gray', '#ffa500': 'orange', '#800080': 'purple', '#ffc0cb': 'pink',
    '#00ffff': 'cyan', '#ff00ff': 'magenta', '#00ff00': 'lime', '#a52a2a': 'brown', '#800000': 'maroon',
    '#000080': 'navy', '#008080': 'teal', '#808000': 'olive', '#c0c0c0': 'silver', '#00bfff': 'deepskyblue' };
  const squeeze = text => text.replace(/[ \t\r\f\u00a0]+/g, ' ').replace(/ ?\n ?/g, '\n').trim();
  const flat = text => (text || '').replace(/\s+/g, ' ').trim();
  const cut = (text, limit) => text.length <= limit ? text : text.slice(0, limit) + '...';
  const quote = (text, limit = LONG_NAME) => JSON.stringify(cut(text, limit));

  const hears = element => (element.ownerDocument.defaultView?.agentgym?.listens || listens).has(element);
  document.addEventListener(key + 'listens', event => { listens.add(event.relatedTarget); event.stopPropagation(); });
  document.dispatchEvent(new Event(key + 'retell'));  // in case the page was there first
  let refused = 0, saving = [], choosing = [];  // windows not given; clicks that save a file, that ask for one
  const local = url => /^(blob|data):/.test(url) || url.startsWith(location.origin + '/');
  document.addEventListener(key + 'refused', () => { refused++; });
  const chooses = event => { if (navigator.userActivation.isActive) choosing.push(event); };  // no window opens otherwise
  document.addEventListener(key + 'chooses', chooses);
  document.addEventListener(key + 'saves', event => { if (local(event.detail)) saving.push(event); });
  addEventListener('click', event => {
    const link = event.composedPath().find(node => node.tagName === 'A' && node.hasAttribute('download'));
    if (link && local(link.href)) saving.push(event);
    const field = event.composedPath()[0];
    if (field.tagName === 'INPUT' && field.type === 'file') chooses(event);
  }, true);
  function tell() {  // what the page did since it was last asked
    const counted = events => events.filter(event => !event.defaultPrevented).length;
    const told = { refused, saving: counted(saving), choosing: counted(choosing) };
    refused = 0;
    saving = [];
    choosing = [];
    return told;
  }
  const calm = new CSSStyleSheet();  // no transition is ever half done when the page is read
  calm.replaceSync('*,*::before,*::after{animation-duration:0s!important;animation-delay:0s!important;' +
    'animation-iteration-count:1!important;transition-duration:0s!important;transition-delay:0s!important;' +
    'scroll-behavior:auto!important;caret-color:transparent!important}');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, calm];

  function number(element) {
    let own = numbers.get(element);
    if (!own) {
      numbers.set(element, own = ++last);
      elements.set(own, new WeakRef(element));
    }
    return own;
  }
  function role(element) {
    const said = (element.getAttribute('role') || '').trim().split(/\s+/)[0];
    if (said && said !== 'presentation' && said !== 'none' && said !== 'generic')
      return said === 'img' ? 'image' : said === 'listitem' ? 'item' : said;
    const tag = element.tagName.toUpperCase();
    if (tag === 'A') return element.hasAttribute('href') ? 'link' : '';
    if (tag === 'INPUT') return INPUTS[element.type] || 'textbox';
    if (tag === 'SELECT') return element.multiple || element.size > 1 ? 'listbox' : 'combobox';
    if (/^H[1-6]$/.test(tag)) return 'heading';
    if (tag === 'FIELDSET') return 'group';
    if (tag === 'SECTION') return 'region';
    if (tag === 'ARTICLE') return 'article';
    if (tag === 'FORM') return 'form';
    if (element.isContentEditable && !(element.parentElement && element.parentElement.isContentEditable)) return 'textbox';
    return said ? '' : TAGS[tag] || '';
  }
  function words(element) {  // the visible text of an element, or what its pictures are called
    const text = flat(element.innerText !== undefined ? element.innerText : element.textContent);
    if (text) return text;
    const inner = element.querySelector('[alt],[title],[aria-label],title');
    return inner ? flat(inner.getAttribute('alt') || inner.getAttribute('aria-label') || inner.getAttribute('title') ||
                        inner.textContent) : '';
  }
  function name(element, what) {
    const by = element.getAttribute('aria-labelledby');
    if (by) {
      const found = by.split(/\s+/).map(id => element.getRootNode().getElementById?.(id)).filter(Boolean);
      const text = flat(found.map(words).join(' '));
      if (text) return text;
    }
    const label = flat(element.getAttribute('aria-label'));
    if (label) return label;
    if (element.labels && element.labels.length) {
      const text = flat([...element.labels].map(labelText).join(' '));
      if (text) return text;
    }
    const tag = element.tagName.toUpperCase();
    if (tag === 'INPUT' && what === 'button') return flat(element.value || element.alt || element.getAttribute('title') || element.type);
    if (tag === 'IMG' || tag === 'AREA') return flat(element.alt || element.getAttribute('title'));
    if (tag === 'FIELDSET') return flat(element.querySelector(':scope > legend')?.innerText);
    if (tag === 'TABLE') return flat(element.caption?.innerText);
    if (tag === 'IFRAME' || tag === 'FRAME') return flat(element.getAttribute('title') || element.name);
    if (BOXES.has(what) && what !== 'cell') return flat(element.getAttribute('title'));
    if (['INPUT', 'SELECT', 'TEXTAREA'].includes(tag) || element.isContentEditable) return flat(element.getAttribute('title'));
    return words(element) || flat(element.getAttribute('title'));
  }
  function labelText(label) {
    let text = '';
    const gather = node => {
      if (node.nodeType === 3) text += node.data;
      else if (node.nodeType === 1 && !['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON'].includes(node.tagName))
        node.childNodes.forEach(gather);
    };
    gather(label);
    return text;
  }
  function color(value) {
    const parts = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(value || '');
    if (!parts || parts[4] === '0') return '';
    const hex = '#' + parts.slice(1, 4).map(part => Number(part).toString(16).padStart(2, '0')).join('');
    return COLORS[hex] || hex;
  }
  const disabled = element => element.disabled === true || element.matches(':disabled') ||
    element.closest('[aria-disabled="true"],[inert]') !== null;

  function states(element, what) {
    const told = [];
    const aria = attribute => element.getAttribute('aria-' + attribute);
    const tag = element.tagName;
    if (tag === 'INPUT' && what === 'password box') {
      if (element.value) told.push('value=' + quote('\u2022'.repeat(element.value.length)));
    } else if (tag === 'INPUT' && !['button', 'checkbox', 'radio'].includes(what)) {
      if (element.type === 'file') {
        if (element.files.length) told.push('value=' + quote([...element.files].map(file => file.name).join(', ')));
      } else if (element.value) told.push('value=' + quote(element.value, LONG_TEXT));
    } else if (tag === 'TEXTAREA') {
      if (element.value) told.push('value=' + quote(element.value, LONG_TEXT));
    } else if (element.isContentEditable && what === 'textbox') {
      const text = squeeze(element.innerText);
      if (text) told.push('value=' + quote(text, LONG_TEXT));
    } else if (tag === 'SELECT') {
      const label = option => quote(flat(option.label));
      told.push('value=' + ([...element.selectedOptions].map(label).join(', ') || '""'));
      const options = [...element.options];
      const more = options.length > MOST_OPTIONS ? `, ... ${options.length - MOST_OPTIONS} more` : '';
      told.push('options: ' + options.slice(0, MOST_OPTIONS).map(label).join(', ') + more);
    } else if (aria('valuenow') !== null) told.push('value=' + quote(aria('valuetext') || aria('valuenow')));
    else if (tag === 'PROGRESS' || tag === 'METER') told.push('value=' + element.value);
    if (element.placeholder && !element.value) told.push('placeholder=' + quote(element.placeholder));
    if (element.type === 'range') told.push(`from ${element.min || 0} to ${element.max || 100}`);
    if (what === 'heading') told.push('level=' + (aria('level') || tag[1]));
    if (element.type === 'checkbox' || element.type === 'radio') told.push(element.checked ? 'checked' : 'not checked');
    else if (aria('checked') !== null) told.push(aria('checked') === 'true' ? 'checked' : 'not checked');
    if (aria('selected') === 'true' || (tag === 'OPTION' && element.selected)) told.push('selected');
    if (aria('pressed') === 'true') told.push('pressed');
    if (aria('expanded') !== null) told.push(aria('expanded') === 'true' ? 'expanded' : 'collapsed');
    else if (tag === 'SUMMARY') told.push(element.parentElement?.open ? 'expanded' : 'collapsed');
    if (aria('current') && aria('current') !== 'false') told.push('current');
    if (element.required || aria('required') === 'true') told.push('required');
    if (aria('invalid') === 'true') told.push('invalid');
    if (element.readOnly || aria('readonly') === 'true') told.push('read-only');
    if (CONTROLS.has(what) && disabled(element)) told.push('disabled');
    if (element.draggable && !['IMG', 'A'].includes(tag.toUpperCase())) told.push('draggable');
    if (element.getRootNode().activeElement === element && element !== document.body) told.push('focused');
    return told;
  }

  // The outline

  function look(options) {
    const lines = [];
    let nodes = 0, full = false;
    const page = { lines, boxes: [], places: [], foreign: [] };
    const offsets = [0, 0];
    const big = document.getElementsByTagName('*').length > 4000;  // then only what is near the viewport is read

    function emit(element, depth, text, rect) {
      if (lines.length >= MOST_LINES) { full = true; return 0; }
      const own = number(element);
      rect = rect || element.getBoundingClientRect();
      lines.push([depth, `[${own}] ${text}`, Math.round(rect.top + offsets[1]), Math.round(rect.bottom + offsets[1])]);
      if (options.boxes) markBox(element, own);
      if (options.places) page.places.push([own, rect.left + offsets[0], rect.top + offsets[1], rect.width, rect.height]);
      return own;
    }
    const marked = new Set();
    function markBox(element, own) {  // once, where it is seen, and only what something can be done with
      if (marked.has(own)) return;
      marked.add(own);
      const style = getComputedStyle(element), rect = firstLine(element);
      if (!rect || !(CONTROLS.has(role(element)) || clickable(element, style) || scrollable(element, style))) return;
      const across = rect.width / 2 - Math.min(3, rect.width / 4), down = rect.height / 2 - Math.min(3, rect.height / 4);
      const x = rect.left + rect.width / 2, y = rect.top + rect.height / 2, root = element.getRootNode();
      const spots = [[0, 0], [-1, -1], [1, -1], [-1, 1], [1, 1]];
      const shows = spots.some(([right, below]) => {
        const top = root.elementFromPoint(x + right * across, y + below * down);
        return top && (element.contains(top) || top.closest('label')?.control === element);
      });
      const part = shows && inView(element, rect);
      if (part) page.boxes.push([own, part.left + offsets[0], part.top + offsets[1], part.width, part.height]);
    }
    function firstLine(element) {  // of a link of several lines: all its parts on the first, icons and words
      const [first, ...rest] = element.getClientRects();
      if (!first) return null;
      const line = [first, ...rest.filter(rect => rect.top < first.bottom - first.height / 2 && rect.bottom > first.top + first.height / 2)];
      const left = Math.min(...line.map(rect => rect.left)), right = Math.max(...line.map(rect => rect.right));
      const top = Math.min(...line.map(rect => rect.top)), bottom = Math.max(...line.map(rect => rect.bottom));
      return new DOMRect(left, top, right - left, bottom - top);
    }
    function inView(element, rect) {  // what the boxes around it that cut off leave of it
      let { left, top, right, bottom } = rect;
      for (let node = element.parentElement; node && node !== document.body; node = node.parentElement) {
        const style = getComputedStyle(node);
        if (style.overflow === 'visible' || style.display === 'inline') continue;
        const edge = node.getBoundingClientRect();
        left = Math.max(left, edge.left); top = Math.max(top, edge.top);
        right = Math.min(right, edge.right); bottom = Math.min(bottom, edge.bottom);
      }
      return right > left && bottom > top ? new DOMRect(left, top, right - left, bottom - top) : null;
    }
    const place = rect => `at ${Math.round(rect.left + offsets[0])},${Math.round(rect.top + offsets[1])} ` +
      `size ${Math.round(rect.width)}x${Math.round(rect.height)}`;
    function flush(flow) {
      const text = squeeze(flow.text);
      flow.text = '';
      if (text) emit(flow.owner, flow.depth, (flow.bullet ? '- ' : '') + quote(text, LONG_TEXT));
      if (text) flow.bullet = false;
    }
    function children(element, flow) {
      const root = element.shadowRoot || element;
      let list = root.childNodes;
      if (element.tagName === 'SLOT' && element.assignedNodes().length) list = element.assignedNodes();
      if (element.tagName === 'DETAILS' && !element.open) list = element.querySelectorAll(':scope > summary:first-of-type');
      for (const child of list) if (!full) visit(child, flow);
    }
    function inside(element, depth, clip) {
      const flow = { text: '', owner: element, depth, clip };
      children(element, flow);
      flush(flow);
    }
    function visit(node, flow) {
      if (++nodes > MOST_NODES) { full = true; return; }
      if (node.nodeType === 3) {
        const pre = node.data.includes('\n') && getComputedStyle(flow.owner).whiteSpace.startsWith('pre');
        flow.text += pre ? node.data : node.data.replace(/\s+/g, ' ');
        return;
      }
      if (node.nodeType !== 1) return;
      const tag = node.tagName.toUpperCase();
      if (tag === 'BR') { flow.text += '\n'; return; }
      if (SILENT.has(tag)) return;
      const style = getComputedStyle(node);
      if (style.display === 'none' || node.getAttribute('aria-hidden') === 'true') return;
      const rect = node.getBoundingClientRect();
      if (style.contentVisibility === 'hidden') return;
      const clip = flow.clip;
      if (rect.width && rect.height) {
        if (clip && (rect.right <= clip.left || rect.left >= clip.right || rect.bottom <= clip.top || rect.top >= clip.bottom)) return;
        if (big && style.position !== 'fixed' && (rect.top > 2 * innerHeight || rect.bottom < -innerHeight)) {
          page.cut = true;
          return;
        }
      }
      const hidden = style.visibility !== 'visible';
      if (hidden && !node.childElementCount) return;
      let own = clip;
      if (style.overflow !== 'visible' && style.display !== 'inline' && tag !== 'BODY' && tag !== 'HTML') {
        const bars = /auto|scroll/.test(style.overflowX + style.overflowY);
        if (!bars) own = intersect(clip, rect);
      }
      describe(node, tag, style, rect, flow, own, hidden);
    }
    function intersect(clip, rect) {
      if (!clip) return rect;
      return { left: Math.max(clip.left, rect.left), right: Math.min(clip.right, rect.right),
               top: Math.max(clip.top, rect.top), bottom: Math.min(clip.bottom, rect.bottom) };
    }
    function describe(node, tag, style, rect, flow, clip, hidden) {
      const next = depth => ({ text: '', owner: node, depth, clip });
      if (hidden) { const inner = next(flow.depth); children(node, inner); return; }
      if (node instanceof SVGElement) { shape(node, tag, style, rect, flow, clip); return; }
      const what = role(node);
      if (tag === 'LABEL' && node.control && seen(node.control)) {  // its words are the control's name
        flush(flow);
        for (const child of node.children) if (child === node.control || child.contains(node.control)) visit(child, flow);
        return;
      }
      if (tag === 'IFRAME' || tag === 'FRAME') { frame(node, rect, flow); return; }
      if (CONTROLS.has(what)) {
        flush(flow);
        control(node, tag, what, style, rect, flow.depth);
        if (what === 'listbox' && tag !== 'SELECT' || node.shadowRoot) inside(node, flow.depth + 1, clip);
        else if (['treeitem', 'menuitem'].includes(what)) subtree(node, flow.depth + 1, clip);
        return;
      }
      if (what === 'image' || what === 'canvas' || what === 'progressbar' || what === 'meter') {
        if (!rect.width || !rect.height) return;
        const text = name(node, what), clicks = clickable(node, style);
        if (what === 'image' && !text && !clicks) return;
        flush(flow);
        const source = !text && node.src ? ' ' + quote(node.src.split('/').pop().slice(0, 60)) : '';
        const where = what === 'canvas' ? [place(rect)] : [];
        emit(node, flow.depth, join(what + (text ? ' ' + quote(text) : source), [...states(node, what), ...where,
          ...(clicks ? ['clickable'] : [])]), rect);
        return;
      }
      if (what === 'heading') {
        flush(flow);
        if (node.querySelector('a[href],button,input')) { inside(node, flow.depth, clip); return; }
        const text = words(node);
        if (text) emit(node, flow.depth, join(`heading ${quote(text)}`, states(node, what)), rect);
        return;
      }
      const clicks = clickable(node, style) && tag !== 'LABEL' || tag === 'LABEL';
      const scrolls = scrollable(node, style);
      if (what === 'row' && !clicks && plainRow(node)) {
        flush(flow);
        const cells = [...node.cells || node.children].map(cell => flat(cell.innerText));
        if (cells.some(Boolean)) emit(node, flow.depth, 'row ' + quote(cells.join(' | '), LONG_TEXT), rect);
        return;
      }
      if (clicks || scrolls || (BOXES.has(what) && what !== 'item')) {
        const text = BOXES.has(what) ? name(node, what) : '';
        if (clicks || scrolls || !NAMED.has(what) || text) { box(node, tag, what, text, style, rect, flow, clip, clicks, scrolls); return; }
      }
      if (!node.childNodes.length && rect.width > 3 && rect.height > 3 && color(style.backgroundColor)) {  // a coloured patch
        flush(flow);
        blank(node, what, style, rect, flow.depth, []);
        return;
      }
      const inline = style.display.startsWith('inline') || style.display === 'contents';
      if (inline) { children(node, Object.assign(flow)); return; }
      flush(flow);
      const inner = next(flow.depth);
      inner.bullet = what === 'item';
      children(node, inner);
      flush(inner);
    }
    function box(node, tag, what, text, style, rect, flow, clip, clicks, scrolls) {
      flush(flow);
      const free = clicks && style.position === 'absolute' ? [place(rect)] : [];  // what can be moved is told with its place
      const told = [...states(node, what), ...free, ...(clicks ? ['clickable'] : []), ...(scrolls ? [scrolls] : [])];
      const simple = !scrolls && (clicks || what.includes('cell') || what === 'alert' || what === 'status') && !node.shadowRoot &&
        !node.querySelector('a[href],button,input,select,textarea,iframe,img,svg,canvas,[role],[tabindex],table') &&
        [...node.querySelectorAll('*')].every(child => !hears(child) && getComputedStyle(child).display.startsWith('inline'));
      if (simple) {
        const content = flat(node.innerText);
        if (content) emit(node, flow.depth, join(what ? `${what} ${quote(content, LONG_TEXT)}` : quote(content, LONG_TEXT), told), rect);
        else if (clicks && rect.width && rect.height) blank(node, what, style, rect, flow.depth, told);
        return;
      }
      if (!clicks && what.includes('cell')) { if (node.childNodes.length) inside(node, flow.depth, clip); return; }
      emit(node, flow.depth, join((what || 'box') + (text ? ' ' + quote(text) : clicks && !what ? mark(node) : ''), told), rect);
      inside(node, flow.depth + 1, clip);
    }
    const mark = node => {
      const hint = node.getAttribute('id') || (typeof node.className === 'string' ? flat(node.className) : '');
      return hint ? ` <${cut(hint, 60)}>` : '';
    };
    function blank(node, what, style, rect, depth, told) {  // nothing is written on it: say how it looks and where it is
      const paint = color(style.backgroundColor);
      emit(node, depth, join((what || 'box') + (flat(node.getAttribute('title')) ? ' ' + quote(flat(node.getAttribute('title'))) : mark(node)),
        [...(paint ? ['color=' + paint] : []), place(rect), ...told]), rect);
    }
    function control(node, tag, what, style, rect, depth) {
      if (what === 'option' && tag === 'OPTION') return;
      const text = name(node, what), told = states(node, what);
      if (!rect.width && !rect.height && !text) return;
      const unnamed = !text && !['textbox', 'combobox', 'searchbox', 'spinbutton'].includes(what);
      if (unnamed && color(style.backgroundColor)) told.push('color=' + color(style.backgroundColor));
      if (what === 'slider' || what === 'video') told.push(place(rect));
      emit(node, depth, join(what + (text ? ' ' + quote(text) : unnamed ? mark(node) : ''), told), rect);
    }
    function subtree(node, depth, clip) {  // menus and trees hold further menus and trees
      for (const inner of node.children)
        if (inner.matches('ul,ol,[role=menu],[role=group],[role=tree]')) inside(inner, depth, clip);
    }
    function shape(node, tag, style, rect, flow, clip) {
      const kind = node.tagName.toLowerCase();
      if (kind === 'svg' || kind === 'g' || kind === 'a' || !SHAPES.has(kind)) {
        if (kind !== 'svg' && kind !== 'g' && kind !== 'a') return;
        const title = node.getAttribute('aria-label') || node.querySelector(':scope > title')?.textContent;
        flush(flow);
        if (title || (clickable(node, style) && !node.querySelector('circle,rect,polygon,text,path,line,ellipse'))) {
          emit(node, flow.depth, join('graphic' + (title ? ' ' + quote(flat(title)) : ''), [place(rect)]), rect);
        } else children(node, flow);
        return;
      }
      if (!rect.width && !rect.height) return;
      flush(flow);
      const said = /^[a-z]+$/.test(node.getAttribute('fill') || '') && node.getAttribute('fill') !== 'none' ? node.getAttribute('fill') : '';
      const paint = said || color(style.fill) || color(style.stroke), clicks = clickable(node, style) ? ['clickable'] : [];
      const drawn = style.fill === 'none' ? `stroke=${color(style.stroke)}` : `color=${paint}`;
      if (kind === 'text') {
        if (flat(node.textContent))
          emit(node, flow.depth, join(quote(flat(node.textContent)), [`color=${paint}`, place(rect), ...clicks]), rect);
        return;
      }
      if (style.fill === 'none' && (style.stroke === 'none' || !style.stroke)) return;
      const ends = kind === 'line' ? [`from ${spot(node, 'x1', 'y1')} to ${spot(node, 'x2', 'y2')}`] : [place(rect)];
      const points = kind === 'polygon' ? [`${node.points.numberOfItems} corners`] : [];
      emit(node, flow.depth, join(kind, [drawn, ...points, ...ends, ...clicks]), rect);
    }
    const spot = (line, x, y) => {
      const point = new DOMPoint(line[x].baseVal.value, line[y].baseVal.value).matrixTransform(line.getScreenCTM());
      return `${Math.round(point.x + offsets[0])},${Math.round(point.y + offsets[1])}`;
    };
    function frame(node, rect, flow) {
      flush(flow);
      emit(node, flow.depth, join('frame' + (name(node, 'frame') ? ' ' + quote(name(node, 'frame')) : ''), []), rect);
      let inner = null;
      try { inner = node.contentWindow.document; } catch { inner = null; }  // a page of an error
      if (!inner || !inner.body) {  // of another origin: read by the caller through its own copy of this script
        page.foreign.push([lines.length, number(node), rect.left + node.clientLeft + offsets[0], rect.top + node.clientTop + offsets[1], flow.depth + 1]);
        return;
      }
      const left = rect.left + node.clientLeft, top = rect.top + node.clientTop;
      offsets[0] += left; offsets[1] += top;
      inside(inner.body, flow.depth + 1, null);
      offsets[0] -= left; offsets[1] -= top;
    }
    if (document.body) inside(document.body, 0, null);
    const root = document.scrollingElement || document.documentElement || { scrollTop: 0, scrollHeight: 0 };
    return Object.assign(page, {
      ...tell(), last, full, focus: numbers.get(focused()) || 0, url: location.href, title: flat(document.title),
      scroll: [Math.round(root.scrollTop), root.scrollHeight, innerHeight],
    });
  }
  const join = (head, states) => states.length ? head + ' ' + states.join(' ') : head;
  const seen = element => element.checkVisibility({ checkVisibilityCSS: true }) && element.getBoundingClientRect().width > 0;
  function clickable(element, style) {
    if (element.tagName === 'BODY' || element.tagName === 'HTML') return false;
    if (hears(element) || element.hasAttribute('onclick') || element.draggable && !['IMG', 'A'].includes(element.tagName)) return true;
    if (element.tabIndex >= 0 && element.hasAttribute('tabindex')) return true;
    if (!hand(element, style)) return false;
    const parent = element.parentElement;
    return !parent || !hand(parent, getComputedStyle(parent));
  }
  const pointing = new WeakMap();
  function hand(element, style) {  // a hand as cursor; near the mouse what was seen before: hovering follows a page in real time
    const over = element.closest(':not(html,body):hover');  // `:hover` alone means links only where a page has no doctype
    if (over && pointing.has(element)) return pointing.get(element);
    pointing.set(element, style.cursor === 'pointer');
    return style.cursor === 'pointer';
  }
  function scrollable(element, style) {
    if (!/auto|scroll/.test(style.overflowY)) return '';
    const room = element.scrollHeight - element.clientHeight;
    return room > 1 ? `scrolled ${Math.round(100 * element.scrollTop / room)}%` : '';
  }
  const plainRow = row => [...row.children].every(cell => !hears(cell) && cell.innerText !== undefined &&
    !cell.querySelector('a[href],button,input,select,textarea,img,svg,canvas,[role],[tabindex],[onclick],table,iframe') &&
    ![...cell.querySelectorAll('*')].some(child => hears(child)) && !hand(cell, getComputedStyle(cell)));

  const fields = new CSSStyleSheet();
  fields.replaceSync('textarea,select,[contenteditable]:not([contenteditable="false" i]){display:none!important}');
  function written(read) {  // what is read while no field is shown, without a change of the document
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, fields];
    try { return read(); } finally { document.adoptedStyleSheets = document.adoptedStyleSheets.filter(one => one !== fields); }
  }

  function documents() {  // the page's own and those of its frames that can be read
    const all = [document];
    for (let i = 0; i < all.length; i++)
      for (const inner of all[i].querySelectorAll('iframe,frame'))
        try { if (inner.contentWindow) all.push(inner.contentWindow.document); } catch { /* a page of an error */ }
    return all;
  }
  const focused = () => {  // what has the focus, in frames and shadow roots too
    let element = document.activeElement;
    for (let inner = element; inner; element = inner || element) {
      try { inner = element.shadowRoot?.activeElement || element.contentDocument?.activeElement; } catch { inner = null; }
    }
    return element;
  };
  const actable = element => !SILENT.has(element.tagName) && element.tagName !== 'OPTION' && seen(element) &&
    (CONTROLS.has(role(element)) || element.tagName === 'IFRAME' || clickable(element, getComputedStyle(element)));
  function written_out(one, hide, mark) {  // a document's source, with the numbers of what can be acted upon
    const copy = one.documentElement.cloneNode(true), copies = copy.querySelectorAll('*');
    const down = (one.scrollingElement || one.documentElement).scrollTop > 0;
    let top = null;
    one.documentElement.querySelectorAll('*').forEach((element, place) => {
      if (actable(element)) copies[place].setAttribute('bid', number(element));
      if (!mark || !down || top || element.childElementCount) return;
      const rect = element.getBoundingClientRect();
      if (rect.height && rect.bottom > 0 && getComputedStyle(element).position !== 'fixed') top = copies[place];
    });
    top?.before(document.createComment(mark));
    for (const node of copy.querySelectorAll('script,style,noscript,link,meta,template' + (hide && ',' + hide))) node.remove();
    return copy.outerHTML;
  }
  const awaited = new WeakMap(), PATIENCE = 1000;  // real ms for pictures; each source is waited for once
  const due = picture => !picture.complete && awaited.get(picture) !== picture.src &&
    (picture.loading !== 'lazy' || picture.checkVisibility() && picture.getBoundingClientRect().top < innerHeight);
  async function pictures() {  // one that is on its way, of which no request tells yet, has no size
    const coming = documents().flatMap(one => [...one.images]).filter(due);
    if (!coming.length) return;
    for (const picture of coming) awaited.set(picture, picture.src);
    const there = coming.map(picture => new Promise(done => {
      for (const end of ['load', 'error']) picture.addEventListener(end, done, { once: true });
    }));
    await Promise.race([Promise.all(there), new Promise(done => setTimeout(done, PATIENCE))]);
  }

  globalThis.agentgym = { look, number, flat, quote, name, role, disabled, seen, listens,
    texts: () => document.body ? squeeze(document.body.innerText).replace(/\n{3,}/g, '\n\n') : '',
    shown: () => document.body ? written(() => squeeze(document.body.innerText).replace(/\n{3,}/g, '\n\n')) : '',
    found(selector, attribute) {
      let all = [];
      try { all = [...document.querySelectorAll(selector)]; } catch { /* no selector */ }
      if (attribute) return all.filter(one => one.hasAttribute(attribute)).map(one => one.getAttribute(attribute));
      return written(() => all.filter(seen).map(one => squeeze(one.innerText ?? one.textContent)));
    },
    source(hide, mark) {  // of the document and its frames that can be read; MARK stands before what is in view
      let text = '';
      for (const one of documents()) {
        const holder = one === document ? 0 : number(one.defaultView.frameElement);
        text += (holder ? `\n<!-- in frame ${holder} -->\n` : '') + written_out(one, hide, one === document ? mark : '');
      }
      return { text: text.replace(/\n\s*\n+/g, '\n'), last };
    },
    numbered: element => numbers.get(element) || 0,
    element: own => elements.get(own)?.deref(),
    known: () => [...elements.keys()],
    start(from) { last = Math.max(last, from); },
    takeBack(from) {  // numbers given by a look that is not shown
      for (const [own, reference] of elements)
        if (own > from) { const element = reference.deref(); if (element) numbers.delete(element); elements.delete(own); }
      last = from;
    },
    forget() { numbers = new WeakMap(); elements = new Map(); last = 0; },
    async advance(span) {  // lets the page's clock move; resolves when what was due has run and its pictures are there
      await Promise.all(documents().map(one => new Promise(done => {
        one.addEventListener(key + 'advanced', done, { once: true });
        const event = new CustomEvent(key + 'advance', { detail: String(span), cancelable: true });
        if (one.dispatchEvent(event)) { one.removeEventListener(key + 'advanced', done); done(); }
      })));
      await pictures();
    },
  };
})
