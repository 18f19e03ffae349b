import type { App } from 'obsidian';
import { render } from 'preact';
import type { HookEvent } from '../../core/hook/hook-events';
import type { Undo } from '../../core/ports';
import type { PluginConsent, PluginConsents, PluginPower } from '../adapter/device-storage';
import { listed } from '../language/listed';
import { t } from '../language/text';
import { drawnRow, type SettingSection } from '../settings/rows';
import { DiffLines } from '../ui/diff-view';
import { ask } from '../ui/dialog';
import { isBusy } from '../ui/focus';
import { notify } from '../ui/notify';
import type { DiffLine } from '../ui/text-diff';
import { useChanges } from '../ui/use-changes';

interface ConsentQuestion {
  readonly id: string;
  readonly name: string;
  /** title of the board that it wants to change first, and the change */
  readonly title: string;
  readonly lines: readonly DiffLine[];
  /** another change was shown before */
  readonly again: boolean;
}

/**
 * Asks whether a plugin may change boards as the person; shows the first change as it would be
 * written.
 * @param until closes the dialog without an answer
 */
export function askConsent(
  app: App,
  { id, name, title, lines, again }: ConsentQuestion,
  until: AbortSignal,
): Promise<boolean | undefined> {
  const text = t('api.mayItText', { plugin: name, id, title });
  return ask(app, {
    title: t('api.mayIt', { plugin: name }),
    text: again ? t('link.changedMeanwhile', { text }) : text,
    answers: [
      { label: t('api.allow'), value: true },
      { label: t('api.dontAllow'), value: false },
    ],
    no: t('api.notNow'),
    armed: true,
    until,
    draw: (element) => {
      render(<DiffLines lines={lines} name={t('link.changeTo', { plan: title })} />, element);
      return () => render(null, element);
    },
  });
}

/** The hooks that a connected plugin has registered. */
export interface PluginHooks {
  readonly id: string;
  readonly name: string;
  readonly hooks: readonly { readonly event: HookEvent; readonly priority: number }[];
}

/**
 * Shows a notice that a plugin wants to take part. Opens no dialog, since nothing waits for the
 * answer.
 */
export function inviteHooks(name: string, onDecide: () => void): Undo {
  const label = t('api.decide');
  return notify(t('api.wantsToTakePart', { plugin: name }), {
    ...{ label, onClick: onDecide, stays: true },
  });
}

/**
 * Asks whether a plugin's hooks may be called.
 * @param until closes the dialog without an answer
 */
export function askHooks(
  app: App,
  { id, name, hooks }: PluginHooks,
  until: AbortSignal,
): Promise<boolean | undefined> {
  const events = listed([...new Set(hooks.map(({ event }) => t(`hookEvent.${event}`)))]);
  return ask(app, {
    title: t('api.mayItTakePart', { plugin: name }),
    text: t('api.mayItTakePartText', { plugin: name, id, events }),
    answers: [
      { label: t('api.allow'), value: true },
      { label: t('api.dontAllow'), value: false },
    ],
    ...{ no: t('api.notNow'), armed: true, until },
  });
}

/**
 * Resolves when a dialog would not interrupt the person: at once if they are not typing or in a
 * dialog, else when they leave that, or click the notice that says what waits.
 */
export function whenIdle(message: string, until: AbortSignal): Promise<void> {
  const page = activeDocument;
  if (!isBusy(page) || until.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      hide();
      page.removeEventListener('focusout', onFocusOut);
      until.removeEventListener('abort', end);
      resolve();
    };
    // By then the new focus is known.
    const onFocusOut = () => window.setTimeout(() => !isBusy(page) && end());
    const hide = notify(message, { label: t('api.decide'), onClick: end, stays: true });
    page.addEventListener('focusout', onFocusOut);
    until.addEventListener('abort', end);
  });
}

/** The plugins with registered hooks. */
export interface HookedPlugins {
  hooks(): readonly PluginHooks[];
  onChange(listener: () => void): Undo;
}

/** The settings that list the plugins that asked, for what, and what they may do on this device. */
export function consentSection(consents: PluginConsents, plugins: HookedPlugins): SettingSection {
  const heading = t('api.otherPlugins');
  const draw = () => <ConsentPanel {...{ consents, plugins }} />;
  return { heading, rows: [drawnRow(heading, t('api.otherPluginsText'), draw)] };
}

function ConsentPanel(props: {
  readonly consents: PluginConsents;
  readonly plugins: HookedPlugins;
}) {
  const { consents, plugins } = props;
  useChanges(consents);
  useChanges(plugins);
  const all = consents.all();
  const hooked = plugins.hooks().filter(({ hooks }) => hooks.length > 0);
  const unanswered = hooked.filter(({ id }) => all.every((one) => one.id !== id));
  const rows = [...all, ...unanswered.map(({ id, name }): PluginConsent => ({ id, name }))].sort(
    (a, b) => (a.name < b.name ? -1 : 1),
  );
  const set = (plugin: PluginConsent, power: PluginPower, may: boolean): void => {
    const before = consents.of(plugin.id, power);
    consents.set(plugin, power, may);
    const [yes, no] = POWERS[power].notices;
    notify(t(may ? yes : no, { plugin: plugin.name }), {
      label: t('common.undo'),
      onClick: () => consents.set(plugin, power, before),
    });
  };
  return (
    <div class="atb-consents">
      <p class="atb-settings-words">{t('api.otherPluginsText')}</p>
      {rows.length === 0 && <div class="setting-item-description">{t('api.nobodyAsked')}</div>}
      {rows.map((one) => {
        const { hooks = [] } = hooked.find(({ id }) => id === one.id) ?? {};
        const line = { plugin: one, onSet: set };
        return (
          <div class="atb-consent" key={one.id}>
            <div class="setting-item-name">{one.name}</div>
            <div class="setting-item-description">{one.id}</div>
            {one.may !== undefined && (
              <PowerLine
                {...line}
                power="may"
                words={t(one.may ? 'api.mayChange' : 'api.mayNotChange')}
              />
            )}
            {(hooks.length > 0 || one.hooks !== undefined) && (
              <PowerLine {...line} power="hooks" words={hookWords(one.hooks, hooks)} />
            )}
          </div>
        );
      })}
    </div>
  );
}

const POWERS = {
  may: {
    notices: ['api.mayNow', 'api.mayNoMore'],
    revoke: 'api.revokeOf',
    allow: 'api.allowOf',
  },
  hooks: {
    notices: ['api.takesPartNow', 'api.takesPartNoMore'],
    revoke: 'api.revokeHooksOf',
    allow: 'api.allowHooksOf',
  },
} as const;

function PowerLine(props: {
  readonly plugin: PluginConsent;
  readonly power: PluginPower;
  readonly words: string;
  readonly onSet: (plugin: PluginConsent, power: PluginPower, may: boolean) => void;
}) {
  const { plugin, power, words, onSet } = props;
  const may = plugin[power] === true;
  const { revoke, allow } = POWERS[power];
  return (
    <div class="atb-setting-line">
      <div class="setting-item-description">{words}</div>
      <button
        type="button"
        aria-label={t(may ? revoke : allow, { plugin: plugin.name })}
        onClick={() => onSet(plugin, power, !may)}
      >
        {t(may ? 'api.revoke' : 'api.allow')}
      </button>
    </div>
  );
}

/** "Takes part before a prompt is sent (priority 100) and when a turn ended (priority 5)." */
function hookWords(may: boolean | undefined, hooks: PluginHooks['hooks']): string {
  const events = listed(
    hooks.map(({ event, priority }) =>
      t('api.eventWithPriority', { event: t(`hookEvent.${event}`), priority }),
    ),
  );
  if (hooks.length === 0) return t(may === true ? 'api.takesPartNowhere' : 'api.takesNoPart');
  if (may === undefined) return t('api.asksToTakePartIn', { events });
  return t(may ? 'api.takesPartIn' : 'api.takesNoPartIn', { events });
}
