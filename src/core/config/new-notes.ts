import { BUILT_IN_AGENTS } from './config-layer';
import { readMatter } from './config-text';
import type { AgentConfig } from './config-schema';
import type { LoadedConfig } from './load-config';
import { agentEntry } from './resolve-agent';

type Fields = Readonly<Record<string, unknown>>;

/** The note of an agent or skill: front matter, followed by the text for the model. */
export function configNote(fields: Fields, body: string): string {
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key}: ${yamlOf(value)}`],
  );
  const text = body.trim();
  return `---\n${lines.join('\n')}\n---\n${text === '' ? '' : `\n${text}\n`}`;
}

/** A value on one line. Anything but plain words is written as JSON, which is valid YAML. */
function yamlOf(value: unknown): string {
  const isPlain =
    typeof value === 'string' &&
    /^[A-Za-z][\w ,./()-]*[\w.)]$/.test(value) &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** The path for a new note, in the folder where existing ones are. */
export function newNotePath(
  { layers, skills }: LoadedConfig,
  kind: 'agent' | 'skill',
  name: string,
): string {
  const files = [...layers, ...skills].map(({ file }) => file);
  const folder = `.opencode/${kind}`;
  const one = files.some((file) => file.startsWith(`${folder}/`)) ? folder : `${folder}s`;
  return kind === 'agent' ? `${one}/${name}.md` : `${one}/${name}/SKILL.md`;
}

/** The note with another name; undefined if its front matter can't be changed safely. */
export function renamedNote(text: string, name: string): string | undefined {
  const read = readMatter(text);
  if (!read.ok || read.doubt !== undefined) return undefined;
  if (!Object.hasOwn(read.data, 'name')) return text;
  const lines = text.split('\n');
  const at = read.lineOf(['name']) - 1;
  const end = lines[at]?.endsWith('\r') === true ? '\r' : '';
  if (lines[at]?.startsWith('name:') !== true) return undefined;
  lines[at] = `name: ${name}${end}`;
  const made = lines.join('\n');
  const again = readMatter(made);
  return again.ok && again.data['name'] === name ? made : undefined;
}

/**
 * Combines an agent that is defined in several files, or not in a note, into one note. Provider
 * options are not copied, since they may be secret.
 */
export function agentAsNote({ config }: LoadedConfig, name: string): string {
  const [key, agent]: readonly [string, AgentConfig] = agentEntry(config, name) ?? [name, {}];
  const { description, model, variant, temperature, top_p, steps, color, permission } = agent;
  const mode = agent.mode ?? BUILT_IN_AGENTS.get(key)?.mode;
  const rules = typeof permission === 'object' && Object.keys(permission).length > 0;
  return configNote(
    {
      ...{ description, mode, model, variant, temperature, top_p, steps, color },
      ...(rules && { permission }),
    },
    agent.prompt ?? '',
  );
}
