// What a page asks for, in words alone: as the page says it by itself, and where it shows but a picture of it, an icon by
// the name of its class and a patch by its colour.
(() => {
  const pictured = element => {
    const paint = element.style.backgroundColor.match(/\d+/g);
    if (paint) return '#' + paint.slice(0, 3).map(part => Number(part).toString(16).padStart(2, '0')).join('');
    const icon = [...element.classList].find(name => name.startsWith('ui-icon-'));
    return icon ? `"${icon}"` : '';
  };
  const query = document.getElementById('query');
  const blank = [...query.children].some(child => !child.textContent.trim() && pictured(child));
  const own = core.getUtterance().utterance ?? core.getUtterance();
  if (!blank || own !== query.textContent.replace(/\s+/g, ' ').trim()) return own;
  return [...query.childNodes].map(node => node.textContent.trim() || (node.nodeType === 1 ? pictured(node) : ''))
    .filter(Boolean).join(' ');
})()
