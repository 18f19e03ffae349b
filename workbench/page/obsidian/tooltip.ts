import type { TooltipOptions } from 'obsidian';

/** How long the pointer rests before a tooltip shows, in ms. */
const DELAY = 400;

/** Names the element; a resting pointer shows the name. */
export function setTooltip(el: HTMLElement, text: string, options?: TooltipOptions): void {
  el.setAttribute('aria-label', text);
  if (options?.placement) el.dataset.tooltipPosition = options.placement;
}

export function displayTooltip(el: HTMLElement, content: string | DocumentFragment): void {
  hide();
  const tooltip = document.body.createDiv({ cls: 'tooltip' });
  tooltip.append(content);
  const box = el.getBoundingClientRect();
  const room = window.innerWidth - tooltip.offsetWidth - 4;
  const left = Math.max(4, Math.min(room, box.left + (box.width - tooltip.offsetWidth) / 2));
  const below = box.bottom + 6 + tooltip.offsetHeight < window.innerHeight;
  const top = below ? box.bottom + 6 : box.top - tooltip.offsetHeight - 6;
  tooltip.setCssStyles({ left: `${left}px`, top: `${top}px` });
}

/** Every element with an `aria-label` has a tooltip in the app. */
export function startTooltips(): void {
  let timer: number | undefined;
  document.body.addEventListener('mouseover', (event) => {
    window.clearTimeout(timer);
    hide();
    const named = (event.target as Element).closest<HTMLElement>('[aria-label]');
    const text = named?.getAttribute('aria-label') ?? '';
    if (named === null || text === '' || named.closest('[role="treeitem"]') !== null) return;
    timer = window.setTimeout(() => {
      if (named.isConnected) displayTooltip(named, text);
    }, DELAY);
  });
  document.body.addEventListener('mousedown', () => {
    window.clearTimeout(timer);
    hide();
  });
}

function hide(): void {
  document.querySelectorAll('body > .tooltip').forEach((tooltip) => tooltip.remove());
}
