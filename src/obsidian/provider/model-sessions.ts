import type { LoadedConfig } from '../../core/config/load-config';
import type { ModelEngineServices } from '../../core/engine/model-engine';
import type { CacheMeter } from '../../core/cache';
import type { Http, ModelClient } from '../../core/model/model-client';
import { InProcessBridgeSlot, type InProcessBridge } from '../../core/session/in-process-bridge';
import { WireError } from '../../protocol/wire-error';
import { t } from '../language/text';
import type { ModelAccess } from './model-section';
import type { ModelSettings } from './model-settings';

type MakeBridge = (
  services: Omit<ModelEngineServices, 'clients' | 'calls'> & { readonly device: string },
) => Promise<InProcessBridge>;

interface ModelSessionsDeps extends Pick<
  ModelEngineServices,
  'store' | 'clock' | 'ids' | 'log' | 'places'
> {
  readonly settings: ModelSettings;
  /** of the plugin */
  readonly version: string;
  /** the vault's folder, if known */
  readonly directory: string;
  /** identifies this device for this vault */
  readonly device: string;
  readonly streams: boolean;
  readonly http: () => Promise<Http>;
  readonly makeBridge: MakeBridge;
}

/** What the sessions need from the running plugin. */
export interface ModelEnvironment {
  readonly boards: ModelEngineServices['boards'];
  /** undefined if it can't be read */
  readonly config: () => Promise<LoadedConfig | undefined>;
}

/** Sessions that run in this process on the model of a provider, if one is chosen. */
export class ModelSessions implements ModelAccess {
  readonly settings: ModelSettings;
  readonly streams: boolean;
  /** connects the client to the bridge of these sessions */
  readonly bridges = new InProcessBridgeSlot();
  private clientFactory: Promise<() => ModelClient> | undefined;
  private openedFor: string | undefined;
  /** for the lists of models; undefined until the client code is loaded */
  meter: CacheMeter | undefined;

  constructor(private readonly deps: ModelSessionsDeps) {
    this.settings = deps.settings;
    this.streams = deps.streams;
  }

  async client(): Promise<ModelClient> {
    return (await this.clients())();
  }

  /**
   * Opens the sessions' bridge if the provider has changed; closes it if none is chosen.
   * @returns whether it did anything
   */
  async follow(environment: ModelEnvironment): Promise<boolean> {
    const { current, name } = this.settings;
    const wanted = current && `${current.provider} ${name}`;
    if (wanted === this.openedFor) return false;
    this.openedFor = wanted;
    await this.bridges.replace(() => this.make(environment));
    return true;
  }

  private async make({ boards, config }: ModelEnvironment): Promise<InProcessBridge | undefined> {
    const { settings } = this;
    const before = settings.current;
    if (before === undefined) return undefined;
    const { store, clock, ids, log, places, version, directory, device, makeBridge } = this.deps;
    const client = await this.clients();
    const engine = { name: 'model', version, title: settings.name };
    return makeBridge({
      ...{ store, clock, ids, log, places, boards, device },
      self: { bridge: version, directory, engine },
      provider: () => {
        const { provider: id, model } = settings.current ?? before;
        return { id, name: settings.name, client: client(), ...(model !== '' && { model }) };
      },
      config: async () => {
        const loaded = await config();
        if (loaded === undefined) throw new WireError('internal', t('provider.noConfig'), true);
        return loaded;
      },
    });
  }

  /** Creates clients for the current settings. The code is loaded on first use. */
  private clients(): Promise<() => ModelClient> {
    this.clientFactory ??= this.loadClients();
    return this.clientFactory;
  }

  private async loadClients(): Promise<() => ModelClient> {
    const { clock, ids } = this.deps;
    const { createProviderClient } = await import('../../core/model/provider-client');
    const { ModelLists } = await import('../../core/model/model-list');
    const lists = new ModelLists(clock);
    this.meter = lists.meter;
    const clientDeps = { http: await this.deps.http(), clock, ids, lists };
    return () => createProviderClient(this.settings.current ?? { provider: 'own' }, clientDeps);
  }
}
