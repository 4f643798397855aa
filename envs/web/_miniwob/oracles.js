// Scripted players, one for each page, in a table of small functions: each reads the document and names the next action.
// They run in the world of eyes.js. `q` is the instruction, `past` the actions done so far, `facts` what the page's own
// scripts know and its document does not show. An answer of null means that nothing is left but to submit.
(() => {
  const ag = globalThis.agentgym;
  if (ag.oracle) return;
  let q = '', past = [], facts = {};
  const $ = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const text = element => ag.flat(element.textContent);
  const shown = element => element.checkVisibility() && element.getBoundingClientRect().width > 0;
  const middle = element => { const r = element.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; };
  const near = value => Math.round(value * 100) / 100;
  const at = (verb, ...points) => verb + ' ' + points.map(([x, y]) => `${near(x)},${near(y)}`).join(' ');
  const on = (verb, element, rest = '') => `${verb} [${ag.number(element)}]${rest}`;
  const click = element => ag.numbered(element) ? on('click', element) : at('click_at', middle(element));
  const fill = (element, value) => element.value === value ? null : on('fill', element, ' ' + JSON.stringify(value));
  const quoted = () => [...q.matchAll(/"([^"]*)"/g)].map(match => match[1]);
  const word = pattern => (pattern.exec(q) || [])[1];
  const button = label => all('button,input[type=submit],input[type=button]').find(one => text(one) === label || one.value === label);
  const submit = () => click($('#subbtn') || $('#submit') || button('Submit') || $('#area button'));
  const first = (...tries) => { for (const one of tries) { const action = typeof one === 'function' ? one() : one; if (action) return action; } return submit(); };
  const done = name => past.filter(([verb]) => verb === name).length;
  const ordinal = () => Number(word(/(\d+)(?:st|nd|rd|th)/));
  const tick = (wanted, boxes) => boxes.map(box => wanted(box) !== box.checked ? click(box) : null).find(Boolean) || null;
  const labelled = box => ag.flat(box.parentElement.textContent);
  const lowest = (list, key) => list.reduce((best, one) => key(one) < key(best) ? one : best);
  const centre = shape => { const b = shape.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; };

  // Parts that several pages share

  const link = (selector, open) => {
    const wanted = quoted()[0], target = all(selector).find(one => text(one) === wanted);
    if (!target) return 'wait';  // some seeds ask for a link that the page does not hold
    return shown(target) ? click(target) : open(target);
  };
  const boxesNamed = names => first(tick(box => names.includes(labelled(box)), all('#area input[type=checkbox],#area input[type=radio]')));
  const listed = () => { const names = word(/^Select (.*?) and click Submit/); return names === 'nothing' ? [] : names.split(', '); };
  function datepicker(input, month, day, year) {
    if (input.value === [month, day, year].map(part => String(part).padStart(2, '0')).join('/')) return null;
    const calendar = $('#ui-datepicker-div');
    if (!calendar || !shown(calendar)) return click(input);
    const names = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
    const now = names.indexOf(text($('.ui-datepicker-month'))) + 12 * Number(text($('.ui-datepicker-year')));
    const goal = month - 1 + 12 * year;
    if (now !== goal) return click($(now > goal ? '.ui-datepicker-prev' : '.ui-datepicker-next'));
    return click(all('#ui-datepicker-div td:not(.ui-datepicker-other-month) a').find(one => text(one) === String(day)));
  }
  const date = () => { const [, month, day, year] = /(\d+)\/(\d+)\/(\d+)/.exec(q).map(Number); return [month, day, year]; };
  const choosesDate = () => first(datepicker($('#datepicker') || $('#area input'), ...date()));
  function slide(handle, track, value, goal) {  // a click on the track comes near, the arrow keys do the rest
    const jquery = facts.sliders[track.id];
    if (value === goal) return null;
    const box = track.getBoundingClientRect(), share = (goal - jquery.min) / (jquery.max - jquery.min);
    const last = past[past.length - 1];
    if (Math.abs(value - goal) > 2 && !(last && last[0] === 'mouse')) {
      const upright = jquery.orientation === 'vertical';
      return at('click_at', upright ? [box.left + box.width / 2, box.bottom - box.height * share] : [box.left + box.width * share, box.top + box.height / 2]);
    }
    return on('press', handle, goal > value ? ' ArrowRight' : ' ArrowLeft');
  }
  function drags(shape, [x, y]) { return at('drag_at', centre(shape), [x, y]); }
  const inBox = (shape, box) => {
    const [x, y] = centre(shape), b = box.getBoundingClientRect();
    return x > b.left + 8 && x < b.right - 8 && y > b.top + 8 && y < b.bottom - 8;
  };
  function sortable(items, from, to) {  // jQuery's lists change places when the middle of one passes that of the other
    const item = items[from], goal = items[to].getBoundingClientRect(), [x, y] = middle(item), [gx, gy] = middle(items[to]);
    const beyond = (start, end, size) => end === start ? end : end + Math.sign(end - start) * size * 0.3;
    return at('drag_at', [x, y], [beyond(x, gx, goal.width), beyond(y, gy, goal.height)]);
  }
  function describes(shape, size, paint, kind) {
    const tag = shape.tagName.toLowerCase(), label = text(shape);
    const large = tag === 'text' ? shape.getAttribute('font-size') === '20px' : shape.getBBox().width > 14;
    const type = tag !== 'text' ? 'shape' : /\d/.test(label) ? 'digit' : 'letter';
    const exact = { rect: 'rectangle', circle: 'circle', polygon: 'triangle' }[tag] || label;
    return (!size || (size === 'large') === large) && (!paint || shape.getAttribute('fill') === paint) &&
      (kind === 'item' || kind === type || kind === exact);
  }
  function shapesMeant(phrase) {
    const parts = phrase.split(' ');
    const size = ['large', 'small'].includes(parts[0]) ? parts.shift() : '';
    const paint = parts.length > 1 ? parts.shift() : '';
    return all('#area_svg *').filter(shape => describes(shape, size, paint, parts[0]));
  }
  function mail(task) {
    if ($('#reply-text')) return fill($('#reply-text'), task.message) || click($('#send-reply'));
    if ($('.forward-sender')) return fill($('.forward-sender'), task.to) || click($('#send-forward'));
    const opened = $('#email');
    if (opened && shown(opened)) return click(opened.querySelector(task.task === 'reply' ? '.email-reply' : '.email-forward'));
    const thread = all('#main .email-thread').find(one => text(one.querySelector('.email-sender')) === task.by);
    if (task.task === 'delete' || task.task === 'star') return click(thread.querySelector(task.task === 'star' ? '.star' : '.trash'));
    return click(thread);
  }
  function readsMail() {
    if (facts.fields) return mail(facts.fields);
    const by = word(/email by ([\w.]+?)(?: and |\.$)/), to = word(/(?:to|forward that email to) (\w+)\.$/);
    if (/trash/.test(q)) return mail({ task: 'delete', by });
    if (/star/.test(q)) return mail({ task: 'star', by });
    if (/reply/.test(q)) return mail({ task: 'reply', by, message: /with the text "(.*)"\.$/.exec(q)[1] });
    return mail({ task: 'forward', by, to });
  }
  function movie() {
    const [, genre, director, year] = /for (.+) movies directed by (.+) from year (\d+)/.exec(q);
    const wanted = { genre, director, year, date: year };
    const inputs = all('#area input').filter(shown);
    const name = input => {
      const nearby = [input.placeholder, input.name, input.id, input.className, input.previousElementSibling?.textContent,
        input.closest('tr')?.textContent, input.closest('p,li,label')?.textContent, input.parentElement.textContent,
        input.parentElement.previousElementSibling?.textContent];
      for (const words of nearby) {
        const found = Object.keys(wanted).filter(key => (words || '').toLowerCase().includes(key));
        if (found.length === 1) return found[0];
      }
      return '';
    };
    const left = inputs.map(input => fill(input, wanted[name(input)])).find(Boolean);
    return left || click(button('Search') || button('Submit') || button('Go!') || all('#area a,#area div,#area span').find(one => ['Search', 'Submit'].includes(text(one))));
  }
  function flight() {
    const [, from, to] = /from: (.+) to: (.+) on /.exec(q);
    if (shown($('#results')) && $('.flight-price')) {
      const measure = one => /cheapest/.test(q) ? Number(one.dataset.price) :
        Number(one.closest('.flight').querySelector('.time-duration').dataset.duration);
      return click(lowest(all('.flight-price'), measure));
    }
    const city = (input, name) => {
      const right = words => words.startsWith(name + ' (') || words.includes(`(${name})`);
      if (right(input.value)) return null;
      const offered = all('.ui-autocomplete li').filter(shown).find(one => right(text(one)));
      return offered && input.value === name ? click(offered) : on('fill', input, ' ' + JSON.stringify(name));
    };
    return city($('#flight-from'), from) || city($('#flight-to'), to) || datepicker($('#datepicker'), ...date()) || click($('#search'));
  }
  function words() {  // the rectangles of a phrase in an element's text
    const walk = (node, list) => { node.nodeType === 3 ? list.push(node) : node.childNodes.forEach(child => walk(child, list)); return list; };
    return { rect(element, phrase) {
      for (const node of walk(element, [])) {
        const start = node.data.indexOf(phrase);
        if (start < 0) continue;
        const range = document.createRange();
        range.setStart(node, start); range.setEnd(node, start + phrase.length);
        return [...range.getClientRects()].filter(one => one.width);
      }
      return [];
    } };
  }
  function highlights(element, phrase) {
    const rects = words().rect(element, phrase), last = rects[rects.length - 1];
    return at('drag_at', [rects[0].left + 0.3, rects[0].top + rects[0].height / 2], [last.right + 1, last.top + last.height / 2]);
  }
  const selected = () => String(getSelection()).replace(/\s/g, '');
  const highlightsAll = element => selected() === text(element).replace(/\s/g, '') ? submit() :
    highlights(element, element.firstChild.data.trim());
  function probes() {  // hot-cold: keep the places that fit every answer so far, and ask where they part best
    const area = $('#touch-area').getBoundingClientRect();
    const feel = (x, y, p) => { const d = Math.hypot(x - p[0], y - p[1]); return d < 5 ? 'hot' : d < 10 ? 'warm' : d < 40 ? 'cold' : 'ice-cold'; };
    const memory = ag.memory = past.length ? ag.memory || new Map() : new Map();
    const last = past[past.length - 1];
    if (last && last[0] === 'mouse' && $('#signal')) memory.set(last[1].point.join(), [last[1].point, $('#signal').className]);
    let places = [];
    for (let x = 5; x < 155; x++) for (let y = 5; y < 120; y++) places.push([x, y + 50]);
    for (const [point, said] of memory.values()) places = places.filter(p => feel(point[0], point[1], p) === said);
    const mean = axis => places.reduce((sum, p) => sum + p[axis], 0) / Math.max(1, places.length);
    const best = [Math.round(mean(0)), Math.round(mean(1))];
    if (places.length && places.every(p => Math.hypot(p[0] - best[0], p[1] - best[1]) < 4.9)) return at('click_at', best);
    const asked = places.filter((_, i) => i % Math.ceil(places.length / 60) === 0);
    const spread = point => {
      const counts = {};
      for (const p of places) { const key = feel(point[0], point[1], p); counts[key] = (counts[key] || 0) + 1; }
      return Math.max(...Object.values(counts));
    };
    const choice = lowest(asked.length ? asked : [best], spread);
    return at('move_to', [Math.min(choice[0], area.right - 1), Math.min(choice[1], area.bottom - 1)]);
  }
  Object.assign(ag, { players: {}, oracle(page, instruction, done_, facts_) {
    q = instruction; past = done_; facts = facts_;
    return ag.players[page]();
  } });
  const tools = { $, all, text, shown, middle, at, on, click, fill, quoted, word, button, submit, first, done, ordinal, tick, labelled,
    lowest, centre, link, boxesNamed, listed, datepicker, choosesDate, slide, drags, inBox, sortable, shapesMeant, readsMail, movie,
    flight, words, highlights, highlightsAll, selected, probes,
    get q() { return q; }, get past() { return past; }, get facts() { return facts; } };
  ag.tools = tools;
})();
