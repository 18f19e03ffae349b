import { SERVER_NAME, valueAt, type AgentClient } from './clients';
import { parseJson } from '../json';

/** The words before the vault in the command line of our server. */
const BEFORE_VAULT = ['mcp', '--vault'];

/**
 * The index of the vault in the words of our server's command line; -1 if they start another
 * server.
 */
export function vaultPosition(words: readonly unknown[]): number {
  const at = words.findIndex((_, n) =>
    BEFORE_VAULT.every((word, more) => words[n + more] === word),
  );
  return at < 0 ? -1 : at + BEFORE_VAULT.length;
}

/** The command line of a server's entry, whether it is in `command`, in `args` or in both. */
export function commandLineOf(entry: unknown): readonly unknown[] {
  return ['command', 'args'].flatMap((key) => valueAt(entry, [key]) ?? []);
}

/**
 * The vault of our server in the text of a client's configuration. Undefined if our server is not
 * in it, or if the text can't be parsed: `connect` reports files that can't be read.
 */
export function configuredVault(client: AgentClient, text: string): string | undefined {
  const words = client.format === 'toml' ? tomlCommandLine(text) : jsonCommandLine(client, text);
  const vault = words[vaultPosition(words)];
  return typeof vault === 'string' ? vault : undefined;
}

function jsonCommandLine(client: AgentClient, text: string): readonly unknown[] {
  const string = '("(?:[^"\\\\]|\\\\.)*")';
  const config = parseJson(
    text
      .replace(/^\ufeff/, '')
      .replace(new RegExp(`${string}|//.*|/\\*[^]*?\\*/`, 'g'), '$1')
      .replace(new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g'), '$1'),
  );
  return commandLineOf(valueAt(config, [...client.servers(config), SERVER_NAME]));
}

function tomlCommandLine(text: string): readonly unknown[] {
  const table = new RegExp(
    `^\\[mcp_servers\\.${SERVER_NAME}\\]\\s*$([^]*?)(?=^\\s*\\[|(?![^]))`,
    'm',
  );
  return tomlValue(table.exec(text)?.[1] ?? '', 'args')?.words ?? [];
}

const TOML_STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'`;
const TOML_LIST = `\\[(?:[^\\]"'#]|#.*\\n|${TOML_STRING})*\\]`;

/**
 * A key's value in the lines of a table of TOML: a string, or a list of strings, which may have
 * several lines and comments. Undefined if there is none of these.
 */
export function tomlValue(
  lines: string,
  key: string,
):
  { readonly start: number; readonly end: number; readonly words: readonly unknown[] } | undefined {
  const found = new RegExp(
    `^[ \\t]*"?${key}"?[ \\t]*=[ \\t]*(${TOML_STRING}|${TOML_LIST})`,
    'm',
  ).exec(lines);
  if (found?.[1] === undefined) return undefined;
  const end = found.index + found[0].length;
  const tokens = found[1].match(new RegExp(`#.*|${TOML_STRING}`, 'g')) ?? [];
  const words = tokens.flatMap((token) => {
    if (token.startsWith('#')) return [];
    return token.startsWith("'") ? token.slice(1, -1) : parseJson(token);
  });
  return { start: end - found[1].length, end, words };
}
