import { setIcon, type Plugin } from 'obsidian';
import type { Undo } from '../../core/ports';
import { waitingCount, type AttentionSource } from '../model/attention';
import type { Overview } from '../model/overview';
import { connectionWords, progressOf } from '../ui/text';
import { t } from '../language/text';

export interface StatusBarIntents {
  /** Opens the first thing that waits for the person. */
  readonly openFirst: () => void;
  readonly openSidebar: () => void;
  readonly connection: (event: MouseEvent) => void;
}

/**
 * The three parts of the status bar, and a ribbon icon for what waits. Parts without content take
 * no space.
 */
export function showStatusBar(
  plugin: Plugin,
  overview: Overview,
  needs: AttentionSource,
  intents: StatusBarIntents,
): Undo {
  const waiting = new StatusBarItem(plugin, 'hand', intents.openFirst);
  const ribbon = createRibbonBadge(plugin, intents.openFirst);
  const tasks = new StatusBarItem(plugin, 'list-checks', intents.openSidebar);
  const connection = new StatusBarItem(plugin, 'unplug', intents.connection);
  const draw = () => {
    const { state } = overview;
    const count = needs.needs().length + waitingCount(state);
    const short = t('app.needYou', { count });
    const name = t('app.waitForYou', { count });
    waiting.show(count === 0 ? '' : short, name);
    ribbon(count, name);
    const { done, total } = progressOf(state.boards);
    const words = total === 0 ? '' : t('app.doneOf', { done, total });
    tasks.show(words, t('app.tasksDone', { done, total }));
    const { icon, text } = connectionWords(state.connection, Date.now());
    connection.show(text, t('common.sentence', { text }), icon);
  };
  draw();
  const undos = [overview.onChange(draw), needs.onChange(draw)];
  const timer = window.setInterval(() => {
    if (overview.state.connection.kind === 'reconnecting') draw();
  }, 1_000);
  plugin.registerInterval(timer);
  return () => undos.forEach((undo) => undo());
}

/**
 * A ribbon icon with a badge.
 * @returns sets the count; 0 removes the icon
 */
function createRibbonBadge(
  plugin: Plugin,
  onClick: () => void,
): (count: number, name: string) => void {
  const icon = plugin.addRibbonIcon('hand', t('app.openWhatNeedsYou'), onClick);
  icon.addClass('atb-ribbon');
  icon.setAttrs({ role: 'button', tabindex: '0' });
  clickOnKeys(plugin, icon);
  const badge = icon.createSpan({ cls: 'atb-ribbon-badge', attr: { 'aria-hidden': 'true' } });
  return (count, name) => {
    icon.toggle(count > 0);
    badge.setText(count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count));
    icon.setAttr('aria-label', name);
  };
}

/** The highest number that fits into a badge. */
const MAX_SHOWN = 99;

function clickOnKeys(plugin: Plugin, element: HTMLElement): void {
  plugin.registerDomEvent(element, 'keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    // The same key press must not activate the element that gets the focus now.
    event.preventDefault();
    element.click();
  });
}

/** A button of the status bar; its elements change only when its text does. */
class StatusBarItem {
  private readonly element: HTMLElement;
  private readonly iconElement: HTMLElement;
  private readonly label: HTMLElement;
  private icon = '';
  private text: string | undefined;

  constructor(plugin: Plugin, icon: string, onClick: (event: MouseEvent) => void) {
    this.element = plugin.addStatusBarItem();
    this.element.addClasses(['mod-clickable', 'atb-status']);
    this.element.setAttrs({ role: 'button', tabindex: '0' });
    this.iconElement = this.element.createSpan({
      cls: 'atb-icon',
      attr: { 'aria-hidden': 'true' },
    });
    this.label = this.element.createSpan();
    this.drawIcon(icon);
    plugin.registerDomEvent(this.element, 'click', onClick);
    clickOnKeys(plugin, this.element);
  }

  show(text: string, name: string, icon = this.icon): void {
    if (text === this.text && icon === this.icon) return;
    this.text = text;
    this.element.toggle(text !== '');
    this.label.setText(text);
    this.element.setAttr('aria-label', name);
    this.drawIcon(icon);
  }

  private drawIcon(icon: string): void {
    if (icon === this.icon) return;
    this.icon = icon;
    setIcon(this.iconElement, icon);
  }
}
