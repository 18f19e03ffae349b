import {
  PluginSettingTab,
  Setting,
  type App,
  type Plugin,
  type SettingDefinitionItem,
} from 'obsidian';
import { agentSection } from './agent-rows';
import { auditSection, type AuditDeps } from './audit-rows';
import { connectionSection, type ConnectionDeps } from './connection-rows';
import { openCodeSection, type OpenCodeDeps } from './opencode-rows';
import { permissionSections } from './permissions/permission-sections';
import type { PermissionDeps } from './permissions/make-rules-deps';
import type { Row } from './row';
import { runSection } from './run-rows';
import { drawTabs, partClass, type PartId, type SettingsPart } from './section-tabs';
import { sessionSections } from './session-rows';
import type { SharedDeps } from './shared-rows';

export interface SettingsTabDeps extends SharedDeps, ConnectionDeps {
  /** the board root as set now */
  readonly root: () => string;
  /** Why a folder can't be the board root, or undefined where it can. */
  readonly rootProblem: (root: string) => string | undefined;
  readonly setRoot: (root: string) => Promise<void>;
  /** Opens the dialog that moves all boards. */
  readonly moveBoards: () => void;
  /** undefined where no programs can be run */
  readonly openCode: OpenCodeDeps | undefined;
  readonly permissions?: PermissionDeps | undefined;
  readonly audit?: AuditDeps | undefined;
}

/** The plugin's settings; one table, drawn by the app (from 1.13) or by `display`. */
export class SettingsTab extends PluginSettingTab {
  /** of rows that `display` drew */
  private readonly undos: (() => void)[] = [];
  private shown: PartId = 'boards';

  constructor(
    app: App,
    plugin: Plugin,
    private readonly deps: SettingsTabDeps,
  ) {
    super(app, plugin);
    this.icon = 'list-checks';
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    const parts = this.parts();
    return [
      {
        type: 'group',
        cls: 'atb-settings-head',
        items: [
          { name: 'Sections', searchable: false, render: (row) => this.drawHead(row, parts) },
        ],
      },
      ...parts.flatMap(({ id, title, sections }) =>
        sections.map(({ heading, rows, bare }): SettingDefinitionItem => ({
          type: 'group',
          ...(heading !== title && { heading }),
          cls: partClass(id),
          items: rows.map(({ name, desc, draw }) => ({
            ...{ name, desc },
            render: (setting, group) => {
              if (bare === true) group.addClass('atb-bare-group');
              return draw(setting);
            },
          })),
        })),
      ),
    ];
  }

  /** For apps before 1.13. */
  override display(): void {
    this.undraw();
    this.containerEl.empty();
    const parts = this.parts();
    this.drawHead(new Setting(this.containerEl), parts);
    for (const { id, title, sections } of parts) {
      const parent = this.containerEl.createDiv({ cls: partClass(id) });
      for (const { heading, rows } of sections) {
        if (heading !== title) new Setting(parent).setName(heading).setHeading();
        for (const { name, desc, draw } of rows) {
          const undo = draw(new Setting(parent).setName(name).setDesc(desc));
          if (undo !== undefined) this.undos.push(undo);
        }
      }
    }
  }

  private drawHead({ settingEl }: Setting, parts: readonly SettingsPart[]): void {
    settingEl.empty();
    settingEl.addClass('atb-settings-block');
    const show = (id: PartId): void => {
      this.shown = id;
      this.containerEl.addClass('atb-settings');
      this.containerEl.setAttr('data-tab', id);
    };
    show(this.shown);
    drawTabs(settingEl, parts, this.shown, show);
  }

  override hide(): void {
    this.undraw();
    super.hide();
  }

  private undraw(): void {
    for (const undo of this.undos.splice(0)) undo();
  }

  private parts(): readonly SettingsPart[] {
    const { permissions, audit, openCode, settings } = this.deps;
    const all: readonly SettingsPart[] = [
      {
        ...{ id: 'boards', title: 'Boards' },
        sections: [
          { heading: 'Boards', rows: [this.rootRow()] },
          ...sessionSections(settings),
          agentSection(this.deps),
        ],
      },
      {
        ...{ id: 'connection', title: 'Connection' },
        sections: [
          connectionSection(this.deps),
          ...(openCode === undefined ? [] : [openCodeSection(openCode)]),
        ],
      },
      {
        ...{ id: 'permissions', title: 'Permissions' },
        sections:
          permissions === undefined ? [] : permissionSections(this.app, this.deps, permissions),
      },
      { ...{ id: 'runs', title: 'Runs' }, sections: [runSection(this.deps)] },
      {
        ...{ id: 'audit', title: 'Audit' },
        sections: audit === undefined ? [] : [auditSection(this.deps, audit)],
      },
    ];
    return all.filter(({ sections }) => sections.length > 0);
  }

  private rootRow(): Row {
    const { deps } = this;
    return {
      name: 'Board root',
      desc: rootWords(deps.root()),
      draw: (setting) => {
        setting.settingEl.addClass('atb-root-row');
        setting.addText((text) => {
          text.setPlaceholder('.opencode/todos').setValue(deps.root());
          const keep = () => {
            const root = text.getValue().trim().replace(/\/+$/, '');
            if (root === deps.root()) return;
            const problem = deps.rootProblem(root);
            setting.setDesc(problem ?? rootWords(root));
            text.inputEl.setAttr('aria-invalid', problem === undefined ? null : 'true');
            if (problem === undefined) void deps.setRoot(root);
          };
          text.inputEl.addEventListener('change', keep);
        });
        setting.addButton((button) =>
          button.setButtonText('Move boards…').onClick(deps.moveBoards),
        );
      },
    };
  }
}

/** The truth about hidden folders, where the root is in one. */
function rootWords(root: string): string {
  const hidden = root.split('/').some((segment) => segment.startsWith('.'));
  return hidden
    ? 'Obsidian Sync skips hidden folders, so these boards stay on this device. Move them to a visible folder to sync them.'
    : 'The folder in this vault that holds the boards, one folder per session.';
}
