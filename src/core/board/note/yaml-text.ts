import { CORE_SCHEMA, DUMP_SCHEMA, load, YAMLException } from 'js-yaml';

/**
 * A one-line string as a value in the header: plain where YAML 1.1 and 1.2 both read it back as the
 * same string, else double-quoted.
 */
export function yamlText(value: string): string {
  if (readsBack(value)) return value;
  // JSON's escapes are YAML's; the rest is what YAML does not allow to stand unescaped.
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function readsBack(value: string): boolean {
  try {
    return [CORE_SCHEMA, DUMP_SCHEMA].every((schema) => {
      const read = load(`key: ${value} # end`, { schema }) as { readonly key?: unknown };
      return read.key === value;
    });
  } catch (error) {
    if (error instanceof YAMLException) return false;
    throw error;
  }
}
