import {
  PluginSettingTab,
  Setting,
  type App,
  type Plugin,
  type SettingDefinitionItem,
} from 'obsidian';
import { keepFocus } from '../ui/focus';
import {
  agentSection,
  auditSection,
  connectionSection,
  openCodeSection,
  runSection,
  sessionSections,
  type AuditSettingsDeps,
  type ConnectionSettingsDeps,
} from './sections';
import { permissionSections, type PermissionDeps } from '../permission/permission-sections';
import { drawNamed, type SettingRow, type SettingSection, type SharedDeps } from './rows';
import type { OpenCodeDeps } from '../app/opencode';
import {
  boardRootFault,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
} from '../../core/shared-settings';
import type { Services } from '../app/services';
import type { CoreServices } from '../app/core-services';
import { notify } from '../ui/notify';
import { saveShared } from '../board/board-root';
import type { ToolUi } from '../app/tool-ui';

interface SettingsTabDeps extends SharedDeps, ConnectionSettingsDeps {
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
  readonly audit?: AuditSettingsDeps | undefined;
}

/** The plugin's settings; one table, drawn by the app (from 1.13) or by `display`. */
class SettingsTab extends PluginSettingTab {
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
    // Observer and listeners go with the element that they are on.
    keepFocus(this.containerEl);
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
              return drawNamed(draw, setting);
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
          const undo = drawNamed(draw, new Setting(parent).setName(name).setDesc(desc));
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

  private rootRow(): SettingRow {
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

/** Sections of the settings that are shown together. */
interface SettingsPart {
  readonly id: 'boards' | 'connection' | 'permissions' | 'runs' | 'audit';
  readonly title: string;
  readonly sections: readonly SettingSection[];
}

type PartId = SettingsPart['id'];

/** The class of what belongs to a part; `data-tab` of the container says which part is shown. */
function partClass(id: PartId): string {
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
function drawTabs(
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

/** The plugin's page in the app's settings. */
export function makeSettingsTab(
  plugin: Plugin,
  parts: CoreServices,
  desk: Services,
  {
    openCode,
    tools: { permissions, audit },
  }: { openCode: OpenCodeDeps | undefined; tools: ToolUi },
): SettingsTab {
  const { configDir } = plugin.app.vault;
  const { settings, token, store } = parts;
  return new SettingsTab(plugin.app, plugin, {
    ...{ settings, token, openCode, permissions },
    audit: { openAudit: () => void audit.open(), verifyAudit: () => void audit.check() },
    root: () => desk.root,
    rootProblem: (root) => (root === '' ? undefined : boardRootFault(root, configDir)),
    setRoot: (root) => desk.setRoot(root),
    moveBoards: () => void desk.moves.ask(),
    reconnect: () => desk.reconnect(),
    readShared: () => readSharedSettings(store, configDir),
    permissions: permissionDeps(parts, desk),
    changeShared: async (part) => {
      const problem = await saveShared(store, part);
      if (problem !== undefined) {
        notify(`${SHARED_SETTINGS_PATH} was not saved. ${problem}`);
        return;
      }
      desk.look();
      // By the person's word alone: what another program writes there counts from the next month on.
      if (part.auditMonths !== undefined) desk.tools.audit.keep(part.auditMonths);
    },
  });
}

/** What the views of rules need. */
function permissionDeps(
  { clock, sessions }: Pick<CoreServices, 'clock' | 'sessions'>,
  { tools: { policy, resolver, boardFolders } }: Pick<Services, 'tools'>,
): PermissionDeps {
  return {
    ...{ policy, resolver, boardFolders, now: () => clock.now() },
    sessions: () => [...sessions.all()].sort((a, b) => b.lastActive - a.lastActive),
  };
}
