import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Features to disable in OpenCode: what it would otherwise download or start by itself. */
const DISABLED_FEATURES = [
  'MODELS_FETCH',
  'AUTOUPDATE',
  'SHARE',
  'DEFAULT_PLUGINS',
  'LSP_DOWNLOAD',
  'CLAUDE_CODE',
  'EXTERNAL_SKILLS',
];

/**
 * Bun compiles hot code a second time and collects garbage concurrently, which never pays off in a
 * process of a minute: without both, five starts with their prompts take 28 s of processor time
 * instead of 44.
 */
const SHORT_LIVED = { BUN_JSC_useDFGJIT: '0', BUN_JSC_useConcurrentGC: '0' };

/** Actions that need the person's permission. */
const ASK_PERMISSIONS = { bash: 'ask', edit: 'ask', webfetch: 'ask' };

/** The variables of our own environment that an isolated OpenCode gets: no keys, no other config. */
const PASSED_VARIABLES =
  /^(PATH|LANG|LC_.*|TZ|TERM|TMPDIR|TEMP|TMP|SystemRoot|ComSpec|PATHEXT|BUN_RUNTIME_TRANSPILER_CACHE_PATH)$/i;

export interface Isolation {
  /** an empty folder for OpenCode's whole home */
  readonly home: string;
  /** base address of the scripted model, ending in `/v1` */
  readonly modelUrl: string;
}

/** The environment of an OpenCode that shares nothing with the user's own. Creates the folders. */
export function isolatedEnvironment({ home, modelUrl }: Isolation): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && PASSED_VARIABLES.test(name)) env[name] = value;
  }
  Object.assign(env, { HOME: home, USERPROFILE: home, OPENCODE_TEST_HOME: home });
  for (const kind of ['DATA', 'CONFIG', 'CACHE', 'STATE']) {
    const folder = join(home, `.${kind.toLowerCase()}`);
    mkdirSync(folder, { recursive: true });
    env[`XDG_${kind}_HOME`] = folder;
  }
  // OpenCode's temporary files are removed with its home.
  const temporary = join(home, '.tmp');
  mkdirSync(temporary, { recursive: true });
  Object.assign(env, { TMPDIR: temporary, TEMP: temporary, TMP: temporary });
  for (const name of DISABLED_FEATURES) env[`OPENCODE_DISABLE_${name}`] = '1';
  Object.assign(env, SHORT_LIVED);
  // Parsing the bundled model list for each folder takes most of the time of a first prompt.
  const models = join(home, '.models.json');
  writeFileSync(models, '{}');
  env.OPENCODE_MODELS_PATH = models;
  // Otherwise OpenCode installs its plugin package into the vault: 64 MB from the network.
  env.npm_config_offline = 'true';
  env.OPENCODE_CONFIG_CONTENT = JSON.stringify(scriptedConfig(modelUrl));
  return env;
}

/** The environment of an OpenCode with the user's own configuration, on the model that they named. */
export function userEnvironment(model: string): Record<string, string> {
  const env = Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]);
  const config = { model, permission: ASK_PERMISSIONS };
  return { ...Object.fromEntries(env), OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
}

/** Passed in the environment, so that no vault gets a file for it. */
function scriptedConfig(modelUrl: string): object {
  const model = {
    name: 'Scripted model',
    reasoning: true,
    tool_call: true,
    interleaved: { field: 'reasoning_content' },
    limit: { context: 1_000_000, output: 100_000 },
  };
  return {
    model: 'scripted/script',
    small_model: 'scripted/script',
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    lsp: false,
    formatter: false,
    enabled_providers: ['scripted'],
    permission: ASK_PERMISSIONS,
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: modelUrl, apiKey: 'none' },
        models: { script: model },
      },
    },
  };
}
