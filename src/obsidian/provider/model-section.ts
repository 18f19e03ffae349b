import { AbstractInputSuggest, type App, type Setting, type TextComponent } from 'obsidian';
import { ModelError, type ModelClient } from '../../core/model/model-client';
import { checkProvider } from '../../core/model/provider';
import { drawNamed, settingRow, type SettingRow, type SettingSection } from '../settings/rows';
import { errorText, t } from '../language/text';
import { PROVIDER_IDS, presetOf, type ModelSettings } from './model-settings';
import { testConnection } from './test-connection';

/** Access to a provider's model, which runs sessions without another program. */
export interface ModelAccess {
  readonly settings: ModelSettings;
  /** A client of the chosen provider. */
  readonly client: () => Promise<ModelClient>;
  /** false: answers arrive only as a whole, as on a phone */
  readonly streams: boolean;
}

/**
 * The settings of the model that runs sessions here, on this device only.
 * @param more settings for all sessions on a model
 */
export function modelSection(
  app: App,
  access: ModelAccess,
  more: readonly SettingRow[],
): SettingSection {
  const address = new AddressField(access);
  const rows = [
    address.row(),
    keyRow(access),
    modelRow(app, access),
    testRow(access, () => address.problem()),
  ];
  return {
    heading: t('provider.model'),
    rows: [
      providerRow(access),
      ...rows.map((row) => visibleWhenSet(access.settings, row)),
      ...more,
    ],
  };
}

function providerRow({ settings, streams }: ModelAccess): SettingRow {
  const names = PROVIDER_IDS.map((id) => {
    const name = id === 'own' ? t('provider.anotherAddress') : presetOf(id).name;
    return [id, name] as const;
  });
  const address = settings.unconfirmed;
  const desc = [
    ...(address === undefined ? [] : [t('provider.unconfirmed', { address })]),
    t('provider.providerText'),
    ...(streams ? [] : [t('provider.whole')]),
  ].join(' ');
  const options = [['', t('provider.off')] as const, ...names];
  return settingRow(
    { name: t('provider.provider'), desc, control: { kind: 'choice', options } },
    {
      read: () => settings.current?.provider ?? '',
      save: (id: Parameters<ModelSettings['choose']>[0]) => settings.choose(id),
    },
  );
}

/** A row that is redrawn for each provider, and hidden if none is chosen. */
function visibleWhenSet(settings: ModelSettings, row: SettingRow): SettingRow {
  const draw = (setting: Setting): (() => void) => {
    let drawn: string | undefined;
    const show = (): void => {
      const provider = settings.current?.provider;
      if (drawn === (provider ?? '')) return;
      drawn = provider ?? '';
      // Hidden by a class: the app sets the style by a condition of its own.
      setting.settingEl.toggleClass('atb-setting-off', provider === undefined);
      setting.clear().setDesc(row.desc);
      if (provider !== undefined) void drawNamed(row.draw, setting);
    };
    show();
    return settings.onChange(show);
  };
  return { ...row, draw };
}

/** The row of the address, and what stands in its field. */
class AddressField {
  private input: HTMLInputElement | null = null;

  constructor(private readonly access: ModelAccess) {}

  row(): SettingRow {
    const { settings, streams } = this.access;
    const desc = t(streams ? 'provider.addressText' : 'provider.addressOnPhone');
    const words = { name: t('provider.address'), desc };
    const read = (typed: string) => {
      const problem = addressProblem(settings, typed);
      return problem === undefined ? { value: typed } : { problem };
    };
    const draw = (setting: Setting): void => {
      const { provider } = settings.current ?? { provider: 'own' };
      const placeholder = presetOf(provider).url ?? 'https://…/v1';
      const row = settingRow(
        { ...words, control: { kind: 'text', placeholder, read } },
        {
          read: () => settings.current?.url ?? '',
          save: (url: string) => settings.change({ url }),
        },
      );
      void row.draw(setting);
      this.input = setting.controlEl.querySelector('input');
    };
    return { ...words, draw };
  }

  /** Saves what stands in the field. @returns what is wrong with it, if that prevents it */
  problem(): string | undefined {
    this.input?.dispatchEvent(new Event('change'));
    return addressProblem(this.access.settings, this.input?.value.trim() ?? '');
  }
}

/** Why a key would not be sent to an address; undefined if it may be, or nothing is typed. */
function addressProblem(settings: ModelSettings, url: string): string | undefined {
  const { current } = settings;
  if (current === undefined || url === '') return undefined;
  try {
    checkProvider({ ...current, url });
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error.code === 'refused' ? errorText(error) : undefined;
    throw error;
  }
}

function keyRow({ settings }: ModelAccess): SettingRow {
  const desc = t(settings.keepsKeys ? 'provider.keyText' : 'provider.keyNotKept');
  return settingRow(
    { name: t('provider.key'), desc, control: { kind: 'text', secret: true } },
    {
      read: () => settings.current?.key ?? '',
      save: (key: string) => settings.change({ key }),
    },
  );
}

function modelRow(app: App, access: ModelAccess): SettingRow {
  const { settings } = access;
  return {
    ...{ name: t('provider.defaultModel'), desc: t('provider.defaultModelText') },
    draw: (setting) => {
      setting.addText((text) => {
        text.setPlaceholder(t('provider.firstModel')).setValue(settings.current?.model ?? '');
        const { inputEl } = text;
        inputEl.spellcheck = false;
        const keep = (): void => settings.change({ model: text.getValue().trim() });
        inputEl.addEventListener('change', keep);
        new ModelSuggest(app, text, access, keep);
      });
    },
  };
}

/** Suggests the models that the provider lists; others may be typed. */
class ModelSuggest extends AbstractInputSuggest<string> {
  constructor(
    app: App,
    private readonly text: TextComponent,
    private readonly access: ModelAccess,
    private readonly onChosen: () => void,
  ) {
    super(app, text.inputEl);
  }

  /** Empty if the provider lists none: testing the connection says why. */
  protected override async getSuggestions(typed: string): Promise<string[]> {
    const client = await this.access.client();
    const listed = await client.models().catch((error: unknown) => {
      if (error instanceof ModelError) return [];
      throw error;
    });
    const ids = listed.map(({ id }) => id);
    const part = ids.includes(typed) ? '' : typed.toLowerCase();
    return ids.filter((id) => id.toLowerCase().includes(part));
  }

  override renderSuggestion(id: string, el: HTMLElement): void {
    el.setText(id);
  }

  override selectSuggestion(id: string): void {
    this.text.setValue(id);
    this.onChosen();
    this.close();
  }
}

/** @param addressProblem saves the address in its field, or says what is wrong with it */
function testRow(access: ModelAccess, addressProblem: () => string | undefined): SettingRow {
  const { settings } = access;
  const test = async (): Promise<{ readonly ok: boolean; readonly words: string }> => {
    const problem = addressProblem();
    if (problem !== undefined) return { ok: false, words: problem };
    const { name, current } = settings;
    return testConnection(await access.client(), name, current?.model ?? '');
  };
  return {
    ...{ name: t('provider.connection'), desc: t('provider.connectionText') },
    draw: (setting) => {
      setting.descEl.setAttr('role', 'status');
      setting.addButton((button) =>
        button.setButtonText(t('provider.test')).onClick(async () => {
          const tested = settings.current?.provider;
          setting.setDesc(t('provider.testing'));
          button.setDisabled(true);
          const { ok, words } = await test();
          // Another provider's row was drawn meanwhile.
          if (settings.current?.provider !== tested) return;
          setting.setDesc(words);
          setting.descEl.toggleClass('atb-setting-failed', !ok);
          button.setDisabled(false);
        }),
      );
    },
  };
}
