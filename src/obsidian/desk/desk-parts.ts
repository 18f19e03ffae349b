import type { MoveFiles } from '../../core/board/move/move-files';
import type { Clock, Ids, Log, NoteLock, NoteStore } from '../../core/ports';
import type { Bridges } from '../../core/session/bridges';
import type { OpenCodeHost } from '../../core/session/opencode-host';
import type { SessionEventBus } from '../../core/session/session-event-bus';
import type { SessionRuntime } from '../../core/session/session-runtime';
import type { Sessions } from '../../core/session/sessions';
import type { DeviceStore } from '../adapter/device-settings';
import type { Secret } from '../adapter/secret';
import type { SharedSettings } from '../../core/shared-settings';
import type { SettingsStore } from '../settings/settings-store';
import type { ToolDeskParts } from './tool-desk';

/** What the composition root made, for the part of the plugin that deals with the app. */
export interface DeskParts {
  readonly store: NoteStore;
  /** the same files as bytes, for moving all boards */
  readonly moveFiles: MoveFiles;
  readonly settings: SettingsStore;
  readonly token: Secret;
  readonly log: Log;
  readonly bus: SessionEventBus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly connection: Bridges;
  readonly sessions: Sessions;
  readonly runtime: SessionRuntime;
  readonly bridgeText: string;
  readonly device: DeviceStore;
  /** runs OpenCode in the vault's folder; undefined where no programs can be run */
  readonly openCode:
    { readonly folder: string; readonly host: () => Promise<OpenCodeHost> } | undefined;
  /** as they were when the plugin was loaded */
  readonly shared: SharedSettings;
  /** held for each run that is carried out here; refuses one that another program has, soon */
  readonly runLock: NoteLock;
  /** for the tools that agents use */
  readonly tools: ToolDeskParts;
  /** connects, and can install the bridge: not on phones and tablets */
  readonly desktop: boolean;
}
