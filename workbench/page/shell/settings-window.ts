import type { App, NamedTab } from '../obsidian/app';
import { Modal } from '../obsidian/modal';
import { AppearanceTab } from './appearance-tab';
import { PlaceholderTab } from './placeholder-tab';

const PLACEHOLDER_TABS = ['General', 'Editor', 'Files and links', 'Hotkeys', 'Core plugins'];

/** The settings: the app's own tabs, of which only one does something here, and the plugins'. */
export class SettingsWindow extends Modal {
  readonly #navEl: HTMLElement;
  readonly #bodyEl: HTMLElement;
  readonly #own: readonly NamedTab[];
  #shown: NamedTab | undefined;

  constructor(app: App) {
    super(app);
    this.modalEl.addClasses(['mod-settings', 'mod-sidebar-layout']);
    this.contentEl.addClass('vertical-tabs-container');
    this.#navEl = this.contentEl.createDiv({ cls: 'vertical-tab-header' });
    this.#bodyEl = this.contentEl.createDiv({ cls: 'vertical-tab-content-container' });
    const appearance = { id: 'appearance', name: 'Appearance', tab: new AppearanceTab(app) };
    const absent = PLACEHOLDER_TABS.map((name) => ({
      id: name,
      name,
      tab: new PlaceholderTab(app, name),
    }));
    this.#own = [...absent.slice(0, 3), appearance, ...absent.slice(3)];
  }

  override onOpen(): void {
    const first = this.app.settingTabs[0] ?? this.#own.find(({ id }) => id === 'appearance');
    if (first) this.openTab(first);
  }

  override onClose(): void {
    this.#shown?.tab.hide();
    this.#shown = undefined;
  }

  openTab(tab: NamedTab): void {
    this.#shown?.tab.hide();
    this.#shown = tab;
    this.#bodyEl.replaceChildren(tab.tab.containerEl);
    tab.tab.show();
    this.#drawNav();
  }

  #drawNav(): void {
    this.#navEl.empty();
    this.#group('Options', this.#own);
    if (this.app.settingTabs.length > 0) this.#group('Community plugins', this.app.settingTabs);
  }

  #group(title: string, tabs: readonly NamedTab[]): void {
    const group = this.#navEl.createDiv({ cls: 'vertical-tab-header-group' });
    group.createDiv({ cls: 'vertical-tab-header-group-title', text: title });
    const items = group.createDiv({ cls: 'vertical-tab-header-group-items' });
    for (const tab of tabs) {
      const active = tab === this.#shown;
      const item = items.createDiv({
        cls: `vertical-tab-nav-item tappable${active ? ' is-active' : ''}`,
        attr: { role: 'button', tabindex: '0', 'data-tab': tab.id },
      });
      item.createDiv({ cls: 'vertical-tab-nav-item-title', text: tab.name });
      item.addEventListener('click', () => this.openTab(tab));
      item.addEventListener('keydown', (event) => event.key === 'Enter' && this.openTab(tab));
    }
  }
}
