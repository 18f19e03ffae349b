import type { SettingDefinition, SettingDefinitionItem, Setting as AppSetting } from 'obsidian';
import type { SettingGroup as AppGroup } from 'obsidian';
import { addControl } from './setting-control';
import { Setting } from './setting';
import { SettingGroup } from './setting-group';
import type { SettingTab } from './setting-tab';

/**
 * The `visible` and `disabled` checks of the drawn rows, to be repeated later, and their cleanup
 * functions.
 */
export class Conditions {
  readonly #checks: (() => void)[] = [];
  readonly #cleanups: (() => void)[] = [];

  /** Registers a cleanup function of a row. */
  addCleanup(end: () => void): void {
    this.#cleanups.push(end);
  }

  cleanUp(): void {
    for (const end of this.#cleanups.splice(0)) end();
  }

  add(check: () => void): void {
    this.#checks.push(check);
    check();
  }

  apply(): void {
    for (const check of this.#checks) check();
  }
}

/** Draws the result of `getSettingDefinitions`, as the app does from 1.13 on. */
export function renderDefinitions(
  tab: SettingTab,
  items: readonly SettingDefinitionItem[],
  parent: HTMLElement,
): Conditions {
  const conditions = new Conditions();
  let loose: SettingGroup | undefined;
  for (const item of items) {
    if (isGroup(item)) {
      loose = undefined;
      drawGroup(tab, item, parent, conditions);
    } else if (isPage(item)) {
      loose = undefined;
      drawPage(tab, item, parent, conditions);
    } else {
      loose ??= new SettingGroup(parent);
      drawRow(tab, item, loose, conditions);
    }
  }
  return conditions;
}

type Group = Extract<SettingDefinitionItem, { type: 'group' | 'list' }>;
type Page = Extract<SettingDefinitionItem, { type: 'page' }>;

const kind = (item: SettingDefinitionItem): unknown => (item as { type?: unknown }).type;
const isGroup = (item: SettingDefinitionItem): item is Group =>
  kind(item) === 'group' || kind(item) === 'list';
const isPage = (item: SettingDefinitionItem): item is Page => kind(item) === 'page';

function drawGroup(
  tab: SettingTab,
  item: Group,
  parent: HTMLElement,
  conditions: Conditions,
): void {
  const group = new SettingGroup(parent);
  if (item.heading) group.setHeading(item.heading);
  if (item.cls) group.addClass(item.cls);
  for (const make of item.extraButtons ?? []) group.addExtraButton((button) => make(button));
  conditions.add(() => group.groupEl.toggle(evaluate(item.visible, true)));
  for (const one of item.items ?? []) {
    if (isPage(one)) drawPage(tab, one, group.listEl, conditions);
    else drawRow(tab, one, group, conditions);
  }
}

/** Draws a page below its row, since the workbench's window has no second level. */
function drawPage(tab: SettingTab, item: Page, parent: HTMLElement, conditions: Conditions): void {
  const setting = new Setting(parent).setName(item.name);
  if (item.desc !== undefined) setting.setDesc(item.desc);
  const content = parent.createDiv({ cls: 'setting-page' });
  content.hide();
  setting.addExtraButton((button) =>
    button.setIcon('chevron-right').onClick(() => {
      content.empty();
      content.toggle(!content.isShown());
      if (item.items) renderDefinitions(tab, item.items, content);
    }),
  );
  conditions.add(() => setting.settingEl.toggle(evaluate(item.visible, true)));
}

function drawRow(
  tab: SettingTab,
  item: SettingDefinition,
  group: SettingGroup,
  conditions: Conditions,
): void {
  const setting = new Setting(group.listEl).setName(item.name);
  if (item.desc !== undefined) setting.setDesc(item.desc);
  if (item.render) {
    const end = item.render(setting as unknown as AppSetting, group as unknown as AppGroup);
    if (end) conditions.addCleanup(end);
  } else if (item.control) {
    addControl(tab, setting, item.control);
    const { disabled } = item.control;
    conditions.add(() => void setting.setDisabled(evaluate(disabled, false)));
  } else if (item.action) {
    const { action, disabled } = item;
    setting.settingEl.addClass('mod-clickable');
    setting.settingEl.addEventListener('click', () => {
      if (!evaluate(disabled, false)) action(setting.settingEl, 0);
    });
  }
  conditions.add(() => setting.settingEl.toggle(evaluate(item.visible, true)));
}

const evaluate = (value: boolean | (() => boolean) | undefined, otherwise: boolean): boolean =>
  typeof value === 'function' ? value() : (value ?? otherwise);
