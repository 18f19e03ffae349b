import type { App } from 'obsidian';
import { render } from 'preact';
import type { PluginConsent, PluginConsents } from '../adapter/device-storage';
import { t } from '../language/text';
import { drawnRow, type SettingSection } from '../settings/rows';
import { DiffLines } from '../ui/diff-view';
import { ask } from '../ui/dialog';
import { notify } from '../ui/notify';
import { textDiff } from '../ui/text-diff';
import { useChanges } from '../ui/use-changes';

interface ConsentQuestion {
  readonly id: string;
  readonly name: string;
  /** of the board that it wants to change first, and its text then */
  readonly title: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Asks whether a plugin may change boards as the person, with the first change as it would be written.
 * @param until closes the dialog without an answer
 */
export function askConsent(
  app: App,
  { id, name, title, before, after }: ConsentQuestion,
  until: AbortSignal,
): Promise<boolean | undefined> {
  const lines = textDiff(before, after);
  return ask(app, {
    title: t('api.mayIt', { plugin: name }),
    text: t('api.mayItText', { plugin: name, id, title }),
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

/** Which plugins asked, and what they may on this device. */
export function consentSection(consents: PluginConsents): SettingSection {
  const heading = t('api.otherPlugins');
  const draw = () => <ConsentPanel consents={consents} />;
  return { heading, rows: [drawnRow(heading, t('api.otherPluginsText'), draw)] };
}

function ConsentPanel({ consents }: { readonly consents: PluginConsents }) {
  useChanges(consents);
  const all = consents.all();
  const change = (before: PluginConsent): void => {
    const may = !before.may;
    consents.set({ ...before, may });
    const told = t(may ? 'api.mayNow' : 'api.mayNoMore', { plugin: before.name });
    notify(told, { label: t('common.undo'), onClick: () => consents.set(before) });
  };
  return (
    <div class="atb-consents">
      <p class="atb-settings-words">{t('api.otherPluginsText')}</p>
      {all.length === 0 && <div class="setting-item-description">{t('api.nobodyAsked')}</div>}
      {all.map((one) => (
        <div class="atb-setting-line" key={one.id}>
          <div>
            <div class="setting-item-name">{one.name}</div>
            <div class="setting-item-description">
              {t(one.may ? 'api.mayChange' : 'api.mayNotChange', { id: one.id })}
            </div>
          </div>
          <button
            type="button"
            aria-label={t(one.may ? 'api.revokeOf' : 'api.allowOf', { plugin: one.name })}
            onClick={() => change(one)}
          >
            {t(one.may ? 'api.revoke' : 'api.allow')}
          </button>
        </div>
      ))}
    </div>
  );
}
