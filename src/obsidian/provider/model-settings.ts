import type { App } from 'obsidian';
import {
  providerName,
  PROVIDERS,
  type ProviderConfig,
  type ProviderId,
} from '../../core/model/provider';
import type { Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { AllowedTargets, Secret, type DeviceStore } from '../adapter/device-storage';

// `PROVIDERS` has no other keys: it is created in one place.
export const PROVIDER_IDS = Object.keys(PROVIDERS) as readonly ProviderId[];

/** Name and address of a provider, for the person. */
export const presetOf: (id: ProviderId) => { readonly name: string; readonly url?: string } = (
  id,
) => PROVIDERS[id];

/** The model that runs sessions here. */
interface ModelChoice extends ProviderConfig {
  /** empty: the first that the provider lists */
  readonly model: string;
}

const TARGET = 'model';

/** The provider and its address; empty: none. */
function targetOf(choice: ModelChoice | undefined): string {
  return choice === undefined ? '' : `${choice.provider} ${choice.url}`;
}

/**
 * The model that runs sessions here, for this device only: an address from elsewhere must not
 * receive a key. Each provider has its own key.
 */
export class ModelSettings {
  private readonly keys = new Map<ProviderId, Secret>();
  private readonly allowed: AllowedTargets;
  private readonly listeners = new Listeners<void>();
  /** whether keys are kept after the app closes */
  readonly keepsKeys: boolean;

  constructor(
    app: App,
    private readonly device: DeviceStore,
  ) {
    this.allowed = new AllowedTargets(app);
    // What an earlier version stored counts as set by the person.
    if (this.allowed.of(TARGET) === undefined) this.allowed.set(TARGET, targetOf(this.stored));
    this.keepsKeys = Secret.isPersistent(app);
    for (const id of PROVIDER_IDS) {
      this.keys.set(id, new Secret(app, `agent-task-boards-key-${id}`));
    }
  }

  /** Undefined if sessions don't run here. */
  get current(): ModelChoice | undefined {
    return this.unconfirmed === undefined ? this.stored : undefined;
  }

  /** Name and address of what something else than the person has set; nothing is sent there. */
  get unconfirmed(): string | undefined {
    const { stored } = this;
    if (stored === undefined || this.allowed.of(TARGET) === targetOf(stored)) return undefined;
    const { name, url = '' } = presetOf(stored.provider);
    return `${name} ${stored.url || url}`;
  }

  /** The person has set, or allows, what is stored. */
  confirm(): void {
    this.allowed.set(TARGET, targetOf(this.stored));
    this.listeners.call();
  }

  private get stored(): ModelChoice | undefined {
    const { provider, providerUrl: url, model } = this.device.current;
    const id = PROVIDER_IDS.find((one) => one === provider);
    if (id === undefined) return undefined;
    return { provider: id, url, model, key: this.keys.get(id)?.get(), keyInSettings: true };
  }

  /** Name of the chosen provider, for the person. */
  get name(): string {
    return providerName(this.current ?? { provider: 'own' });
  }

  /** Chooses a provider. Address and model are reset, since each provider has its own. */
  choose(provider: ProviderId | ''): void {
    this.device.change({ provider, providerUrl: '', model: '' });
    this.confirm();
  }

  change(part: { readonly url?: string; readonly model?: string; readonly key?: string }): void {
    const { url, model, key } = part;
    if (url !== undefined) {
      this.device.change({ providerUrl: url });
      this.allowed.set(TARGET, targetOf(this.stored));
    }
    if (model !== undefined) this.device.change({ model });
    const { current } = this;
    if (key !== undefined && current !== undefined) this.keys.get(current.provider)?.set(key);
    this.listeners.call();
  }

  /** The keys, which must not be written anywhere. */
  get secrets(): readonly string[] {
    return [...this.keys.values()].map((key) => key.get()).filter((key) => key !== '');
  }

  onChange(listener: () => void): Undo {
    return this.listeners.add(listener);
  }
}
