import '../../protocol/jitless';
import { normalizePath } from 'obsidian';
import * as z from 'zod/mini';
import { lazy } from '../../core/lazy';
import { orElse } from '../../core/or-else';
import { pathFault } from '../../core/board/vault-path';
import type { Undo } from '../../core/ports';
import { numberControl, TOGGLE, type SettingControl } from './rows';
import { sentenceText, t } from '../language/text';

/** A setting that is on or off. */
function toggle(initial: boolean, name: string, desc: string) {
  return { schema: lazy(() => orElse(z.boolean(), initial)), control: TOGGLE, name, desc };
}

function number(
  [initial, min, max]: readonly [initial: number, min: number, max: number],
  name: string,
  desc: string,
) {
  const schema = lazy(() => orElse(z.int().check(z.gte(min), z.lte(max)), initial));
  return { schema, control: numberControl(min, max), name, desc };
}

function text(
  [initial, maxLength]: readonly [initial: string, longest: number],
  name: string,
  desc: string,
  control: Omit<Extract<SettingControl, { kind: 'text' }>, 'kind'>,
) {
  const schema = lazy(() => orElse(z.string().check(z.maxLength(maxLength)), initial));
  return { schema, control: { kind: 'text' as const, ...control }, name, desc };
}

/**
 * Settings that concern only Obsidian, stored in the plugin's own data, in this order. Never
 * contains secrets.
 */
export const OWN_SETTINGS = {
  connectAutomatically: toggle(
    true,
    t('settings.connectAutomatically'),
    t('settings.connectAutomaticallyText'),
  ),
  /** `ws://127.0.0.1:<port>/`; empty: the bridge is found by its run file */
  address: text(['', 200], t('settings.address'), t('settings.addressText'), {
    placeholder: '127.0.0.1:4000',
    read: (typed) => {
      const value = loopbackAddress(typed);
      const problem = t('settings.noAddress');
      return value === undefined ? { problem } : { value };
    },
  }),
  /** empty: OpenCode's default */
  defaultAgent: text(['', 200], t('settings.defaultAgent'), t('settings.defaultAgentText'), {
    placeholder: t('common.agent'),
    live: true,
  }),
  keepDays: number([7, 0, 3650], t('settings.keepSessions'), t('settings.keepSessionsText')),
  foldDays: number(
    [7, 0, 3650],
    t('settings.foldIdleSessions'),
    t('settings.foldIdleSessionsText'),
  ),
  conversationFolder: text(
    ['Conversations', 400],
    t('settings.folderForConversations'),
    t('settings.folderForConversationsText'),
    {
      placeholder: 'Conversations',
      read: (typed) => {
        const value = typed === '' ? '' : normalizePath(typed);
        const problem = typed === '' ? undefined : pathFault(value);
        return problem === undefined ? { value } : { problem: sentenceText(problem) };
      },
    },
  ),
  enterSends: toggle(true, t('settings.enterSends'), t('settings.enterSendsText')),
  remoteImages: toggle(false, t('settings.remoteImages'), t('settings.remoteImagesText')),
  autoContinue: toggle(false, t('app.continueByItself'), t('settings.continueByItselfText')),
  continueAfter: number([10, 3, 600], t('settings.countdown'), t('settings.countdownText')),
  compactAhead: toggle(false, t('settings.compactAhead'), t('settings.compactAheadText')),
  notices: toggle(true, t('settings.notices'), t('settings.noticesText')),
  systemNotices: toggle(
    false,
    t('settings.noticesOfTheSystem'),
    t('settings.noticesOfTheSystemText'),
  ),
};

type OwnSettings = {
  readonly [K in keyof typeof OWN_SETTINGS]: z.infer<
    ReturnType<(typeof OWN_SETTINGS)[K]['schema']>
  >;
};

/** Reads settings from any content of the data file; invalid values become their defaults. */
export function readOwnSettings(data: unknown): OwnSettings {
  const stored = new Map(Object.entries(data ?? {}));
  const settings = Object.entries(OWN_SETTINGS).map(([key, { schema }]) => [
    key,
    schema().parse(stored.get(key)),
  ]);
  return Object.fromEntries(settings) as OwnSettings;
}

/** The address in normalized form; undefined unless it is a loopback WebSocket address. */
export function loopbackAddress(text: string): string | undefined {
  const given = text.trim();
  if (given === '') return '';
  const url = parseUrl(/^\w+:\/\//.test(given) ? given : `ws://${given}`);
  if (url?.protocol !== 'ws:' || url.username !== '' || url.search !== '') return undefined;
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return loopback && url.port !== '' ? `ws://${url.host}/` : undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** Loads and saves the plugin's own data. */
interface DataFile {
  loadData(): Promise<unknown>;
  saveData(data: unknown): Promise<void>;
}

/** The plugin's own settings: loaded once, saved at each change. */
export class SettingsStore {
  private readonly listeners = new Set<() => void>();

  private constructor(
    private readonly file: DataFile,
    private now: OwnSettings,
  ) {}

  static async load(file: DataFile): Promise<SettingsStore> {
    return new SettingsStore(file, readOwnSettings(await file.loadData()));
  }

  get current(): OwnSettings {
    return this.now;
  }

  async change(part: Partial<OwnSettings>): Promise<void> {
    this.now = { ...this.now, ...part };
    await this.file.saveData(this.now);
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
