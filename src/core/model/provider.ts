import { ModelError } from './model-client';

/** What is known about a provider in advance. */
interface Preset {
  readonly name: string;
  /** absent if the person has to set it */
  readonly url?: string;
  readonly dialect: 'openai' | 'anthropic';
  /** the environment variable of its key, if it needs one */
  readonly keyVariable?: string;
  /** for programs on this machine: how to start it if nothing answers */
  readonly start?: string;
}

/**
 * Any other address is called with OpenAI's chat completions; to use Anthropic's messages, set it
 * as the address of `anthropic`.
 */
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

/** A provider, its address and its key, as set by the person. */
export interface ProviderConfig {
  readonly provider: ProviderId;
  /** replaces the provider's own address; `/chat/completions` or `/messages` is appended */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** whether the person sets the key in settings; else in the environment */
  readonly keyInSettings?: boolean;
}

/** A provider with all that a request needs. */
export interface Provider extends Preset {
  readonly id: ProviderId;
  /** without a trailing "/" */
  readonly url: string;
  readonly key: string | undefined;
  /** where the person sets the key, for a sentence */
  readonly keyPlace: string;
}

/**
 * Checks the configuration. The address must use HTTPS or be on this machine, unless there is no
 * key.
 * @throws ModelError
 */
export function checkProvider({
  provider: id,
  url: given,
  key: secret,
  keyInSettings = false,
}: ProviderConfig): Provider {
  const preset: Preset = PROVIDERS[id];
  const keyPlace = keyInSettings
    ? 'in the settings, under Connection'
    : `in the environment as ${keyVariableOf(id)}`;
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
      `The key of ${name} has characters that no key has. Set it again ${keyPlace}.`,
    );
  if (key === undefined && set === '' && preset.keyVariable !== undefined)
    throw new ModelError('auth', `${name} needs a key. Set it ${keyPlace}.`);
  return { ...preset, name, id, url: url.href.replace(/\/+$/, ''), key, keyPlace };
}

/** The name shown to the person; a provider with only an address is named by its host. */
export function providerName({ provider, url = '' }: Omit<ProviderConfig, 'key'>): string {
  const host = provider === 'own' && URL.canParse(url) ? new URL(url).host : '';
  return host === '' ? PROVIDERS[provider].name : host;
}

/** The environment variable from which programs without settings read the provider's key. */
export function keyVariableOf(provider: ProviderId): string {
  const preset: Preset = PROVIDERS[provider];
  return preset.keyVariable ?? 'AGENT_BOARDS_KEY';
}

/** Whether a host, as `URL` gives it, is this machine, independent of name resolution. */
function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(host);
}

function refuse(message: string): never {
  throw new ModelError('refused', message);
}
