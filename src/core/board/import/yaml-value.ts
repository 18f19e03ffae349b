import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';
import { Fields } from './fields';

/** Longest YAML that an import reads, in characters. */
const LONGEST = 65_536;

/**
 * The values of a YAML map: every one is text, a list, or a map; words for nothing are no value. No
 * aliases, at most 16 levels and 64 KiB unless said, so that nothing in it can grow. A text says what is wrong.
 */
export function readYamlText(yaml: string, longest = LONGEST): Fields | string {
  if (yaml.length > longest) return `It has over ${longest} characters of YAML.`;
  try {
    const value = load(yaml.trim() === '' ? '{}' : yaml, {
      schema: FAILSAFE_SCHEMA,
      maxDepth: 16,
      maxAliases: 0,
    });
    return Fields.of(withoutNothing(value)) ?? 'Its front matter is no list of "key: value" lines.';
  } catch (error) {
    if (error instanceof YAMLException) return `Its front matter can't be read (${error.reason}).`;
    throw error;
  }
}

function withoutNothing(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== 'null' && one !== '~' && one !== ''),
  );
}
