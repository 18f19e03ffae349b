import * as z from 'zod/mini';
import { lazy } from '../lazy';
import '../json';

/**
 * The configuration of OpenCode 1.18.33, validated as OpenCode does. It ignores unknown keys in
 * objects with fixed keys; in agents, it passes them to the model's provider.
 */
// Separate constants: destructuring `z` would keep all of zod in the bundle.
const opt = z.optional;
const object = z.object;
const union = z.union;
const anything = z.unknown;
const text = () => z.string();
const flag = () => z.boolean();
const number = () => z.number();
const positive = () => z.int().check(z.positive());
const natural = () => z.int().check(z.gte(0));
const texts = () => z.array(text());
const map = <T extends z.ZodMiniType>(form: T) => z.record(text(), form);
const textMap = () => map(text());

/** Optional fields with the same schema. */
function optionalFields<K extends string, T extends z.ZodMiniType>(
  form: () => T,
  ...names: readonly K[]
) {
  const fields = names.map((name) => [name, opt(form())] as const);
  return Object.fromEntries(fields) as Record<K, z.ZodMiniOptional<T>>;
}

export const THEME_COLOURS = 'primary secondary accent success warning error info'.split(' ');

const ACTIONS = ['ask', 'allow', 'deny'] as const;
/** Permissions that take no patterns. */
const WITHOUT_PATTERNS = ['todowrite', 'question', 'webfetch', 'websearch', 'doom_loop'];
const WITH_PATTERNS = 'read edit glob grep list bash task external_directory lsp skill'.split(' ');
export const PERMISSIONS: readonly string[] = ['*', ...WITH_PATTERNS, ...WITHOUT_PATTERNS];

const permissionSchema = lazy(() => {
  const action = () => z.enum(ACTIONS);
  const rules = map(union([action(), map(action())])).check(({ value, issues }) => {
    for (const key of WITHOUT_PATTERNS) {
      const input = value[key];
      if (typeof input !== 'object') continue;
      issues.push({ code: 'invalid_value', values: [...ACTIONS], input, path: [key] });
    }
  });
  return union([action(), rules]);
});

export const agentSchema = lazy(() =>
  z.looseObject({
    ...optionalFields(text, 'model', 'variant', 'prompt', 'description'),
    ...optionalFields(flag, 'disable', 'hidden'),
    ...optionalFields(number, 'temperature', 'top_p'),
    ...optionalFields(positive, 'steps', 'maxSteps'),
    tools: opt(map(flag())),
    mode: opt(z.enum(['subagent', 'primary', 'all'])),
    options: opt(map(anything())),
    color: opt(union([text().check(z.regex(/^#[0-9a-fA-F]{6}$/)), z.enum(THEME_COLOURS)])),
    permission: opt(permissionSchema()),
    // Undeclared in OpenCode, but read: the agent's name, if it differs from its key.
    name: opt(anything()),
  }),
);

export const commandSchema = lazy(() =>
  object({
    template: text(),
    ...optionalFields(text, 'description', 'agent', 'model', 'variant'),
    subtask: opt(flag()),
  }),
);

const modelSchema = lazy(() => {
  const media = () => z.array(z.enum(['text', 'audio', 'image', 'video', 'pdf']));
  const prices = {
    input: number(),
    output: number(),
    ...optionalFields(number, 'cache_read', 'cache_write'),
  };
  return object({
    ...optionalFields(text, 'id', 'name', 'family', 'release_date'),
    ...optionalFields(flag, 'attachment', 'reasoning', 'tool_call', 'temperature', 'experimental'),
    interleaved: opt(union([flag(), text(), object({ field: text() })])),
    cost: opt(object({ ...prices, context_over_200k: opt(object(prices)) })),
    limit: opt(object({ context: number(), input: opt(number()), output: number() })),
    modalities: opt(object(optionalFields(media, 'input', 'output'))),
    status: opt(z.enum(['alpha', 'beta', 'deprecated', 'active'])),
    provider: opt(object(optionalFields(text, 'npm', 'api'))),
    options: opt(map(anything())),
    headers: opt(textMap()),
    variants: opt(map(z.looseObject(optionalFields(flag, 'disabled')))),
  });
});

const providerSchema = lazy(() => {
  const wait = () => union([positive(), z.literal(false)]);
  const options = z.looseObject({
    ...optionalFields(text, 'apiKey', 'baseURL', 'enterpriseUrl'),
    ...optionalFields(flag, 'setCacheKey'),
    ...optionalFields(wait, 'timeout', 'headerTimeout', 'chunkTimeout'),
  });
  return object({
    ...optionalFields(text, 'api', 'name', 'id', 'npm'),
    ...optionalFields(texts, 'env', 'whitelist', 'blacklist'),
    options: opt(options),
    models: opt(map(modelSchema())),
  });
});

const mcpSchema = lazy(() => {
  const both = { ...optionalFields(flag, 'enabled'), ...optionalFields(positive, 'timeout') };
  const oauth = object({
    ...optionalFields(text, 'clientId', 'clientSecret', 'scope', 'redirectUri'),
    callbackPort: opt(z.int().check(z.gte(1), z.lte(65_535))),
  });
  const local = {
    command: texts(),
    ...optionalFields(text, 'cwd'),
    ...optionalFields(textMap, 'environment'),
  };
  const remote = { url: text(), ...optionalFields(textMap, 'headers') };
  return union([
    z.discriminatedUnion('type', [
      object({ type: z.literal('local'), ...local, ...both }),
      object({
        ...{ type: z.literal('remote'), ...remote, ...both },
        oauth: opt(union([oauth, z.literal(false)])),
      }),
    ]),
    object({ enabled: flag() }),
  ]);
});

const references = lazy(() => {
  const both = { ...optionalFields(text, 'description'), ...optionalFields(flag, 'hidden') };
  const git = object({ repository: text(), ...optionalFields(text, 'branch'), ...both });
  return map(union([text(), git, object({ path: text(), ...both })]));
});

/** Settings that affect only how OpenCode itself runs. */
const programSettings = lazy(() => {
  const formatter = object({
    ...optionalFields(flag, 'disabled'),
    ...optionalFields(texts, 'command', 'extensions'),
    ...optionalFields(textMap, 'environment'),
  });
  const lsp = object({
    ...{
      command: texts(),
      ...optionalFields(texts, 'extensions'),
      ...optionalFields(flag, 'disabled'),
    },
    ...{ ...optionalFields(textMap, 'env'), initialization: opt(map(anything())) },
  });
  const image = {
    ...optionalFields(flag, 'auto_resize'),
    ...optionalFields(positive, 'max_width', 'max_height', 'max_base64_bytes'),
  };
  const experimental = {
    ...optionalFields(
      flag,
      'disable_paste_summary',
      'batch_tool',
      'openTelemetry',
      'continue_loop_on_deny',
    ),
    ...{ ...optionalFields(texts, 'primary_tools'), ...optionalFields(positive, 'mcp_timeout') },
    policies: opt(z.array(anything())),
  };
  return {
    ...optionalFields(text, '$schema', 'shell', 'username'),
    ...optionalFields(flag, 'snapshot', 'autoshare'),
    logLevel: opt(z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'])),
    server: opt(
      object({
        ...{
          ...optionalFields(positive, 'port'),
          ...optionalFields(text, 'hostname', 'mdnsDomain'),
        },
        ...{ ...optionalFields(flag, 'mdns'), ...optionalFields(texts, 'cors') },
      }),
    ),
    watcher: opt(object(optionalFields(texts, 'ignore'))),
    plugin: opt(z.array(union([text(), z.tuple([text(), map(anything())])]))),
    share: opt(z.enum(['manual', 'auto', 'disabled'])),
    autoupdate: opt(union([flag(), z.literal('notify')])),
    layout: opt(z.enum(['auto', 'stretch'])),
    attachment: opt(object({ image: opt(object(image)) })),
    enterprise: opt(object(optionalFields(text, 'url'))),
    tool_output: opt(object(optionalFields(positive, 'max_lines', 'max_bytes'))),
    compaction: opt(
      object({
        ...optionalFields(flag, 'auto', 'prune'),
        ...optionalFields(natural, 'tail_turns', 'preserve_recent_tokens', 'reserved'),
      }),
    ),
    experimental: opt(object(experimental)),
    formatter: opt(union([flag(), map(formatter)])),
    lsp: opt(union([flag(), map(union([object({ disabled: z.literal(true) }), lsp]))])),
  };
});

export const configSchema = lazy(() =>
  object({
    ...optionalFields(text, 'model', 'small_model', 'default_agent'),
    agent: opt(map(agentSchema())),
    mode: opt(map(agentSchema())),
    command: opt(map(commandSchema())),
    permission: opt(permissionSchema()),
    tools: opt(map(flag())),
    ...optionalFields(texts, 'instructions', 'disabled_providers', 'enabled_providers'),
    skills: opt(object(optionalFields(texts, 'paths', 'urls'))),
    provider: opt(map(providerSchema())),
    mcp: opt(map(mcpSchema())),
    ...optionalFields(references, 'references', 'reference'),
    ...optionalFields(natural, 'subagent_depth'),
    ...programSettings(),
  }),
);

export type Config = z.infer<ReturnType<typeof configSchema>>;
export type AgentConfig = z.infer<ReturnType<typeof agentSchema>>;
export type PermissionConfig = z.infer<ReturnType<typeof permissionSchema>>;

/** The front matter that OpenCode requires of a skill. */
export const skillSchema = lazy(() =>
  z.looseObject({
    name: text(),
    ...optionalFields(text, 'description'),
    ...optionalFields(anything, 'license', 'compatibility', 'metadata'),
  }),
);
