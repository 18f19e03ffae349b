import { ModelError } from './model-client';

/** What is known of a provider before anyone asks it. */
interface Preset {
  readonly name: string;
  /** absent where the person has to set it */
  readonly url?: string;
  readonly dialect: 'openai' | 'anthropic';
  /** the environment variable of its key, where it wants one */
  readonly keyVariable?: string;
  /** what to do where nothing answers: of programs on this machine */
  readonly start?: string;
}

/** Any other address speaks OpenAI's chat completions; one that speaks Anthropic's messages is set as Anthropic's. */
export const PROVIDERS = {
  openai: {
    name: 'OpenAI',
    url: 'https://api.openai.com/v1',
    dialect: 'openai',
    keyVariable: 'OPENAI_API_KEY',
  },
  anthropic: {
    name: 'Anthropic',
    url: 'https://api.anthropic.com/v1',
    dialect: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
  },
  google: {
    name: 'Google',
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    dialect: 'openai',
    keyVariable: 'GEMINI_API_KEY',
  },
  zenmux: {
    name: 'ZenMux',
    url: 'https://zenmux.ai/api/v1',
    dialect: 'openai',
    keyVariable: 'ZENMUX_API_KEY',
  },
  openrouter: {
    name: 'OpenRouter',
    url: 'https://openrouter.ai/api/v1',
    dialect: 'openai',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  ollama: {
    name: 'Ollama',
    url: 'http://127.0.0.1:11434/v1',
    dialect: 'openai',
    start: 'Start Ollama (ollama serve), or set its address.',
  },
  lmstudio: {
    name: 'LM Studio',
    url: 'http://127.0.0.1:1234/v1',
    dialect: 'openai',
    start: 'Start the server in LM Studio (Developer, or lms server start), or set its address.',
  },
  own: { name: 'The provider', dialect: 'openai' },
} as const satisfies Readonly<Record<string, Preset>>;

export type ProviderId = keyof typeof PROVIDERS;

/** Which provider, where, and with which key. */
export interface ProviderConfig {
  readonly provider: ProviderId;
  /** in place of the provider's own address; what `/chat/completions` or `/messages` is added to */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** A provider as it is called. */
export interface Provider extends Preset {
  readonly id: ProviderId;
  /** without "/" at its end */
  readonly url: string;
  readonly key: string | undefined;
}

/**
 * The provider that was set, at an address that may be called: HTTPS, or this machine, or without a key.
 * @throws ModelError
 */
export function providerOf({ provider: id, url: given, key: secret }: ProviderConfig): Provider {
  const preset: Preset = PROVIDERS[id];
  const name = providerName({ provider: id, url: given });
  const set = given?.trim() ?? '';
  const key = secret?.trim() === '' ? undefined : secret?.trim();
  const text = set === '' ? preset.url : set;
  if (text === undefined) refuse('No address is set. Set one, as http://127.0.0.1:8080/v1.');
  if (!URL.canParse(text)) refuse('The address is none. Write it as https://host/v1.');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    refuse('The address has to begin with https:// or http://.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    const where = 'addresses are shown and kept where anyone can read them';
    refuse(`Take everything behind "?", "#" and before "@" out of the address: ${where}.`);
  }
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    const why = 'its key would be sent readable for everyone on the way';
    refuse(`${name} is not called at ${url.host}: ${why}. Use https://, or remove the key.`);
  }
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new ModelError(
      'auth',
      `The key of ${name} has characters that no key has. Set it again.`,
    );
  if (key === undefined && set === '' && preset.keyVariable !== undefined)
    throw new ModelError('auth', `${name} needs a key. ${keyPlace(preset)}`);
  return { ...preset, name, id, url: url.href.replace(/\/+$/, ''), key };
}

/** For the person; one that is only an address goes by its host. */
export function providerName({ provider, url = '' }: Omit<ProviderConfig, 'key'>): string {
  const host = provider === 'own' && URL.canParse(url) ? new URL(url).host : '';
  return host === '' ? PROVIDERS[provider].name : host;
}

/** The environment variable of a key that `agent-boards serve` reads where the provider has none of its own. */
export const SERVED_KEY = 'AGENT_BOARDS_KEY';

/** Where the person sets a key. */
export function keyPlace({ keyVariable }: Pick<Preset, 'keyVariable'>): string {
  const variable = keyVariable ?? `${SERVED_KEY} for agent-boards serve`;
  return `Set it in the settings, or in the environment as ${variable}.`;
}

/** Whether a host, as `URL` writes it, is this machine whatever the network says. */
function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(host);
}

function refuse(message: string): never {
  throw new ModelError('refused', message);
}
