import type { App } from './app';
import { TabGroup } from './tab-group';
import type { WorkspaceLeaf } from './workspace-leaf';

export type Side = 'left' | 'root' | 'right';

const CLASSES: Readonly<Record<Side, string>> = {
  left: 'mod-horizontal mod-left-split mod-sidedock',
  root: 'mod-vertical mod-root',
  right: 'mod-horizontal mod-right-split mod-sidedock',
};

/** The middle of the window, or one of its two side docks, which fold. */
export class WorkspaceArea {
  readonly containerEl: HTMLElement;
  readonly groups: TabGroup[] = [];
  collapsed = false;

  constructor(
    readonly app: App,
    readonly side: Side,
  ) {
    this.containerEl = createDiv({ cls: `workspace-split ${CLASSES[side]}` });
    this.addGroup();
  }

  addGroup(): TabGroup {
    const group = new TabGroup(this.app, this);
    this.groups.push(group);
    this.containerEl.append(group.containerEl);
    return group;
  }

  get leaves(): readonly WorkspaceLeaf[] {
    return this.groups.flatMap((group) => group.leaves);
  }

  /** The first group; there always is one. */
  get group(): TabGroup {
    return this.groups[0] ?? this.addGroup();
  }

  groupEmptied(group: TabGroup): void {
    if (this.groups.length > 1) {
      this.groups.splice(this.groups.indexOf(group), 1);
      group.containerEl.remove();
    } else if (this.side === 'root') group.add();
    else group.drawTabs();
  }

  expand(): void {
    this.#fold(false);
  }

  collapse(): void {
    this.#fold(true);
  }

  toggle(): void {
    this.#fold(!this.collapsed);
  }

  #fold(collapsed: boolean): void {
    if (this.side === 'root' || this.collapsed === collapsed) return;
    this.collapsed = collapsed;
    this.containerEl.toggleClass('is-sidedock-collapsed', collapsed);
    this.app.workspace.containerEl.toggleClass(`is-${this.side}-sidedock-open`, !collapsed);
    this.app.workspace.trigger('layout-change');
    this.app.workspace.trigger('resize');
  }
}
