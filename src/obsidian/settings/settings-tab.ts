import {
  PluginSettingTab,
  Setting,
  type App,
  type Plugin,
  type SettingDefinitionItem,
} from 'obsidian';
import type { Secret } from '../adapter/secret';
import { agentSection } from './agent-rows';
import { auditSection, type AuditDeps } from './audit-rows';
import { openCodeSection, type OpenCodeDeps } from './opencode-rows';
import { loopbackAddress } from './own-settings';
import { permissionSections } from './permissions/permission-sections';
import type { PermissionDeps } from './permissions/make-rules-deps';
import type { Row, Section } from './row';
import { runSection } from './run-rows';
import { sessionSections } from './session-rows';
import type { SettingsStore } from './settings-store';
import type { SharedDeps } from './shared-rows';

export interface SettingsTabDeps extends SharedDeps {
  readonly settings: SettingsStore;
  readonly token: Secret;
  /** the board root as set now */
  readonly root: () => string;
  /** Why a folder can't be the board root, or undefined where it can. */
  readonly rootProblem: (root: string) => string | undefined;
  readonly setRoot: (root: string) => Promise<void>;
  /** Opens the dialog that moves all boards. */
  readonly moveBoards: () => void;
  /** The address or the token was changed. */
  readonly reconnect: () => void;
  /** undefined where no programs can be run */
  readonly openCode: OpenCodeDeps | undefined;
  readonly permissions?: PermissionDeps | undefined;
  readonly audit?: AuditDeps | undefined;
}

const ADDRESS_WORDS = 'Leave empty to find OpenCode by itself. Else like ws://127.0.0.1:4000/.';

/** The plugin's settings; one table, drawn by the app (from 1.13) or by `display`. */
export class SettingsTab extends PluginSettingTab {
  /** of rows that `display` drew */
  private readonly undos: (() => void)[] = [];

  constructor(
    app: App,
    plugin: Plugin,
    private readonly deps: SettingsTabDeps,
  ) {
    super(app, plugin);
    this.icon = 'list-checks';
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    return this.sections().map(({ heading, rows, bare }) => ({
      type: 'group',
      heading,
      ...(bare === true && { cls: 'atb-bare-group' }),
      items: rows.map(({ name, desc, draw }) => ({ name, desc, render: draw })),
    }));
  }

  /** For apps before 1.13. */
  override display(): void {
    this.undraw();
    this.containerEl.empty();
    for (const { heading, rows } of this.sections()) {
      new Setting(this.containerEl).setName(heading).setHeading();
      for (const { name, desc, draw } of rows) {
        const undo = draw(new Setting(this.containerEl).setName(name).setDesc(desc));
        if (undo !== undefined) this.undos.push(undo);
      }
    }
  }

  override hide(): void {
    this.undraw();
    super.hide();
  }

  private undraw(): void {
    for (const undo of this.undos.splice(0)) undo();
  }

  private sections(): readonly Section[] {
    const { permissions, audit } = this.deps;
    return [
      { heading: 'Boards', rows: [this.rootRow()] },
      {
        heading: 'Connection',
        rows: [this.automaticRow(), this.addressRow(), this.tokenRow(), this.agentRow()],
      },
      ...(this.deps.openCode === undefined ? [] : [openCodeSection(this.deps.openCode)]),
      ...sessionSections(this.deps.settings),
      agentSection(this.deps),
      ...(permissions === undefined ? [] : permissionSections(this.app, this.deps, permissions)),
      runSection(this.deps),
      ...(audit === undefined ? [] : [auditSection(this.deps, audit)]),
    ];
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

  private automaticRow(): Row {
    const { settings } = this.deps;
    return {
      name: 'Connect automatically',
      desc: 'Connects when Obsidian starts, and whenever OpenCode starts in this vault.',
      draw: (setting) => {
        setting.addToggle((toggle) =>
          toggle
            .setValue(settings.current.connectAutomatically)
            .onChange((connectAutomatically) => settings.change({ connectAutomatically })),
        );
      },
    };
  }

  private addressRow(): Row {
    const { settings, reconnect } = this.deps;
    return {
      name: 'Address',
      desc: ADDRESS_WORDS,
      draw: (setting) => {
        setting.addText((text) => {
          text.setPlaceholder('127.0.0.1:4000').setValue(settings.current.address);
          text.inputEl.addEventListener('change', () => {
            const address = loopbackAddress(text.getValue());
            const wrong = 'This is no address on this machine. It looks like ws://127.0.0.1:4000/.';
            setting.setDesc(address === undefined ? wrong : ADDRESS_WORDS);
            text.inputEl.setAttr('aria-invalid', address === undefined ? 'true' : null);
            if (address !== undefined) void settings.change({ address }).then(reconnect);
          });
        });
      },
    };
  }

  private tokenRow(): Row {
    const { token, reconnect } = this.deps;
    return {
      name: 'Token',
      desc: 'Only with an address of your own. Kept as a secret, never in a file of the vault.',
      draw: (setting) => {
        setting.addText((text) => {
          text.inputEl.type = 'password';
          text.inputEl.autocomplete = 'off';
          text.setValue(token.get());
          text.inputEl.addEventListener('change', () => {
            token.set(text.getValue().trim());
            reconnect();
          });
        });
      },
    };
  }

  private agentRow(): Row {
    const { settings } = this.deps;
    return {
      name: 'Default agent',
      desc: 'The agent of sessions that you start here. Leave empty for OpenCode’s own default.',
      draw: (setting) => {
        setting.addText((text) =>
          text
            .setPlaceholder('Agent')
            .setValue(settings.current.defaultAgent)
            .onChange((value) => settings.change({ defaultAgent: value.trim() })),
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
