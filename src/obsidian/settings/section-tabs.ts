import type { Section } from './row';

/** Sections of the settings that are shown together. */
export interface SettingsPart {
  readonly id: 'boards' | 'connection' | 'permissions' | 'runs' | 'audit';
  readonly title: string;
  readonly sections: readonly Section[];
}
export type PartId = SettingsPart['id'];

/** The class of what belongs to a part; `data-tab` of the container says which part is shown. */
export function partClass(id: PartId): string {
  return `atb-in-${id}`;
}

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * The line of tabs. What is not chosen is hidden by style alone, so that the app's search finds it.
 * @param choose told of each choice
 */
export function drawTabs(
  parent: HTMLElement,
  parts: readonly SettingsPart[],
  chosen: PartId,
  choose: (id: PartId) => void,
): void {
  const line = parent.createDiv({ cls: 'atb-settings-tabs' });
  line.setAttrs({ role: 'tablist', 'aria-label': 'Sections' });
  const tabs = parts.map(({ title }) =>
    line.createEl('button', { cls: 'atb-settings-tab', text: title, attr: { role: 'tab' } }),
  );
  const mark = (id: PartId): void => {
    for (const [at, tab] of tabs.entries()) {
      const is = parts[at]?.id === id;
      tab.setAttrs({ 'aria-selected': String(is), tabindex: is ? 0 : -1 });
    }
  };
  const take = (at: number): void => {
    const part = parts[at];
    if (part === undefined) return;
    mark(part.id);
    choose(part.id);
    tabs[at]?.focus();
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => take(at));
    tab.addEventListener('keydown', (event) => {
      const to = STEPS[event.key]?.(at, tabs.length);
      if (to === undefined) return;
      event.preventDefault();
      take(to);
    });
  }
  mark(chosen);
}
