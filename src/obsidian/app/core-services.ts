import type { MoveFiles } from '../../core/board/move/copy-boards';
import type { ErrorHandler } from '../../core/error-handler';
import type { ConnectedClient } from '../../core/connect/clients';
import type { NamedStore } from '../../core/board/names/named-store';
import type { Hooks } from '../../core/hook/hooks';
import type { Clock, Ids, NoteLock } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import type { ProgramHost } from '../../core/session/program-host';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import type { SessionRuntime } from '../../core/session/bridge-runtime';
import type { Sessions } from '../../core/session/sessions';
import type { DeviceStore, PluginConsents, Secret } from '../adapter/device-storage';
import type { SharedSettings } from '../../core/shared-settings';
import type { SettingsStore } from '../settings/settings-store';
import type { BoardFolderStorage } from '../../core/permission/board-folders';
import type { RealPathLookup } from '../../core/permission/path-resolver';
import type { ConfirmedRules } from '../../core/permission/policy-store';
import type { WatchedNotes } from '../../core/tool/note/vault-notes';
import type { OwnAuditDeps } from '../audit/own-audit';
import type { ConfigPlaces } from '../config/config-source';
import type { ModelSessions } from '../provider/model-sessions';

/** The services that the composition root creates for the parts that use the app. */
export interface CoreServices {
  readonly store: NamedStore;
  /** the same files as bytes, for moving all boards */
  readonly moveFiles: MoveFiles;
  readonly settings: SettingsStore;
  readonly token: Secret;
  /** receives all errors */
  readonly log: ErrorHandler;
  readonly bus: SessionEventBus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly connection: Bridges;
  readonly sessions: Sessions;
  readonly runtime: SessionRuntime;
  /** where other plugins and commands take part */
  readonly hooks: Hooks;
  /** the text of the file that this plugin was loaded from, which also contains the bridge */
  readonly program: () => Promise<string>;
  readonly device: DeviceStore;
  /** which other plugins may change boards */
  readonly consents: PluginConsents;
  readonly model: ModelSessions;
  /** starts programs in the vault's folder; undefined if none can be started */
  readonly programs:
    { readonly folder: string; readonly host: () => Promise<ProgramHost> } | undefined;
  /** other agents of the person, by their configuration files; undefined if these can't be read */
  readonly agents:
    | { readonly folder: string; readonly states: () => Promise<readonly ConnectedClient[]> }
    | undefined;
  /** where the configuration of OpenCode is read */
  readonly configPlaces: () => Promise<ConfigPlaces>;
  /** the settings when the plugin was loaded */
  readonly shared: SharedSettings;
  /** held for each run that is carried out here; fails soon if another program holds it */
  readonly runLock: NoteLock;
  /** for the tools that agents use */
  readonly tools: ToolAdapters;
  /** connects to other programs, and can install the bridge: false on phones and tablets */
  readonly desktop: boolean;
  /** whether there can be a bridge to connect to */
  readonly connects: () => boolean;
}

export interface ToolAdapters {
  /** resolves links; undefined if the vault can't contain any */
  readonly realPaths: RealPathLookup | undefined;
  readonly confirmed: ConfirmedRules;
  readonly boardFolders: BoardFolderStorage;
  readonly audit: Omit<OwnAuditDeps, 'store' | 'clock' | 'log' | 'months'>;
  readonly notes: WatchedNotes;
  /** yields, so that the app can draw and handle input */
  readonly pause: () => Promise<void>;
}
