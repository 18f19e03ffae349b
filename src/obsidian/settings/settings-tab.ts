import { PluginSettingTab, Setting, type Plugin, type SettingDefinitionItem } from 'obsidian';
import { keepFocus } from '../ui/focus';
import {
  agentSection,
  auditSection,
  connectionSection,
  runSection,
  sessionSections,
  sharedRow,
  type SharedDeps,
} from './sections';
import { consentSection } from '../api/consent';
import { modelSection } from '../provider/model-section';
import { permissionSections } from '../permission/permission-sections';
import { drawNamed, settingRow, type SettingRow, type SettingSection } from './rows';
import { agentProgramSection } from '../program/agent-section';
import { openCodeSection } from '../program/opencode-section';
import type { Programs } from '../program/programs';
import {
  boardRootFault,
  readSharedSettings,
  SHARED_SETTINGS_PATH,
} from '../../core/shared-settings';
import type { Services } from '../app/services';
import type { CoreServices } from '../app/core-services';
import { notify } from '../ui/notify';
import { saveSharedSettings } from '../board/board-root';
import type { ToolUi } from '../app/tool-ui';
import { sentenceText, t } from '../language/text';

/** The plugin's settings: one table, drawn by the app from 1.13 on, before that by `display`. */
export class SettingsTab extends PluginSettingTab {
  /** of the rows that `display` drew */
  private readonly undos: (() => void)[] = [];
  private shown: PartId = 'boards';

  /** @param programs undefined if none can be started */
  constructor(
    plugin: Plugin,
    private readonly parts: CoreServices,
    private readonly services: Services,
    private readonly programs: Programs | undefined,
    private readonly tools: ToolUi,
  ) {
    super(plugin.app, plugin);
    this.icon = 'list-checks';
    // The observer and the listeners are removed with their element.
    keepFocus(this.containerEl);
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    const parts = this.pages();
    return [
      {
        type: 'group',
        cls: 'atb-settings-head',
        items: [
          {
            name: t('settings.sections'),
            searchable: false,
            render: (row) => this.drawHead(row, parts),
          },
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
    this.removeRows();
    this.containerEl.empty();
    const parts = this.pages();
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
    this.removeRows();
    super.hide();
  }

  private removeRows(): void {
    for (const undo of this.undos.splice(0)) undo();
  }

  private pages(): readonly SettingsPart[] {
    const { services, programs, tools, shared } = this;
    const { settings } = this.parts;
    return [
      {
        ...{ id: 'boards', title: t('settings.boards') },
        sections: [
          {
            heading: t('settings.boards'),
            rows: [this.rootRow(), sharedRow(shared, 'nameByTitle')],
          },
          ...sessionSections(settings),
          agentSection(shared),
        ],
      },
      {
        ...{ id: 'connection', title: t('settings.connection') },
        sections: [
          connectionSection(this.parts, () => services.reconnect()),
          modelSection(this.app, this.parts.model, [sharedRow(shared, 'modelSubagents')]),
          ...(programs === undefined
            ? []
            : [openCodeSection(programs), agentProgramSection(programs)]),
        ],
      },
      {
        ...{ id: 'permissions', title: t('settings.permissions') },
        sections: [
          ...permissionSections(this.app, shared, tools.permissions),
          consentSection(this.parts.consents, services.api),
        ],
      },
      { ...{ id: 'runs', title: t('settings.runs') }, sections: [runSection(shared)] },
      {
        ...{ id: 'audit', title: t('settings.audit') },
        sections: [auditSection(shared, tools.audit)],
      },
    ];
  }

  private get shared(): SharedDeps {
    const { store } = this.parts;
    return {
      readShared: () => readSharedSettings(store, this.app.vault.configDir),
      changeShared: async (part) => {
        const problem = await saveSharedSettings(store, part);
        if (problem !== undefined) {
          notify(t('settings.fileNotSaved', { file: SHARED_SETTINGS_PATH, problem }));
          return;
        }
        this.services.refresh();
        // Only a change by the person applies at once. What another program writes applies from the
        // next month on.
        if (part.auditMonths !== undefined)
          this.services.tools.audit.applyRetention(part.auditMonths);
      },
    };
  }

  private rootRow(): SettingRow {
    const { services } = this;
    const { configDir } = this.app.vault;
    const read = (typed: string) => {
      const root = typed.replace(/\/+$/, '');
      const problem =
        root === '' || root === services.root ? undefined : boardRootFault(root, configDir);
      return problem === undefined
        ? { value: root, desc: rootWords(root) }
        : { problem: sentenceText(problem) };
    };
    const { name, desc, draw } = settingRow(
      {
        ...{ name: t('settings.boardRoot'), desc: rootWords(services.root) },
        control: { kind: 'text', placeholder: '.opencode/todos', read },
      },
      {
        read: () => services.root,
        save: (root: string) => {
          if (root !== services.root) void services.setRoot(root);
        },
      },
    );
    return {
      ...{ name, desc },
      draw: (setting) => {
        setting.settingEl.addClass('atb-root-row');
        void draw(setting);
        setting.addButton((button) =>
          button
            .setButtonText(t('settings.moveBoards'))
            .onClick(() => void services.moves.openDialog()),
        );
      },
    };
  }
}

/** The description of the root setting; for a hidden folder it says what that means. */
function rootWords(root: string): string {
  const hidden = root.split('/').some((segment) => segment.startsWith('.'));
  return hidden ? t('settings.hiddenRootText') : t('settings.rootText');
}

/** A group of settings sections. */
interface SettingsPart {
  readonly id: 'boards' | 'connection' | 'permissions' | 'runs' | 'audit';
  readonly title: string;
  readonly sections: readonly SettingSection[];
}

type PartId = SettingsPart['id'];

/** The class of a part's elements; `data-tab` of the container names the part that is shown. */
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
 * The row of tabs. Other parts are hidden by CSS alone, so that the app's search finds them.
 * @param choose called with each choice
 */
function drawTabs(
  parent: HTMLElement,
  parts: readonly SettingsPart[],
  chosen: PartId,
  choose: (id: PartId) => void,
): void {
  const line = parent.createDiv({ cls: 'atb-settings-tabs' });
  line.setAttrs({ role: 'tablist', 'aria-label': t('settings.sections') });
  const tabs = parts.map(({ title }) =>
    line.createEl('button', { cls: 'atb-settings-tab', text: title, attr: { role: 'tab' } }),
  );
  const markSelected = (id: PartId): void => {
    for (const [at, tab] of tabs.entries()) {
      const isSelected = parts[at]?.id === id;
      tab.setAttrs({ 'aria-selected': String(isSelected), tabindex: isSelected ? 0 : -1 });
    }
  };
  const selectTab = (at: number): void => {
    const part = parts[at];
    if (part === undefined) return;
    markSelected(part.id);
    choose(part.id);
    tabs[at]?.focus();
  };
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener('click', () => selectTab(at));
    tab.addEventListener('keydown', (event) => {
      const to = STEPS[event.key]?.(at, tabs.length);
      if (to === undefined) return;
      event.preventDefault();
      selectTab(to);
    });
  }
  markSelected(chosen);
}
