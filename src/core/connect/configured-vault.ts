import { SERVER_NAME, valueAt, type AgentClient } from './clients';
import { parseJson } from '../json';

/** Words of a command line that ours has, before the vault. */
const BEFORE_VAULT = ['mcp', '--vault'];

/** Where the words of a command line name the vault of our server; -1 where they start another. */
export function vaultPosition(words: readonly unknown[]): number {
  const at = words.findIndex((_, n) =>
    BEFORE_VAULT.every((word, more) => words[n + more] === word),
  );
  return at < 0 ? -1 : at + BEFORE_VAULT.length;
}

/** The command line of a server's entry, whatever keys it stands under. */
export function wordsOfEntry(entry: unknown): readonly unknown[] {
  return ['command', 'args'].flatMap((key) => valueAt(entry, [key]) ?? []);
}

/**
 * The vault of our server in the text of a client's configuration. Undefined where it has none, or
 * one that nothing can be said of: a file that can't be read is for `connect` to refuse.
 */
export function configuredVault(client: AgentClient, text: string): string | undefined {
  const words = client.format === 'toml' ? tomlWords(text) : jsonWords(client, text);
  const vault = words[vaultPosition(words)];
  return typeof vault === 'string' ? vault : undefined;
}

function jsonWords(client: AgentClient, text: string): readonly unknown[] {
  const string = '("(?:[^"\\\\]|\\\\.)*")';
  const config = parseJson(
    text
      .replace(/^\ufeff/, '')
      .replace(new RegExp(`${string}|//.*|/\\*[^]*?\\*/`, 'g'), '$1')
      .replace(new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g'), '$1'),
  );
  return wordsOfEntry(valueAt(config, [...client.servers(config), SERVER_NAME]));
}

function tomlWords(text: string): readonly unknown[] {
  const table = new RegExp(
    `^\\[mcp_servers\\.${SERVER_NAME}\\]\\s*$([^]*?)(?=^\\s*\\[|(?![^]))`,
    'm',
  );
  const args = /^args\s*=\s*(\[.*\])\s*$/m.exec(table.exec(text)?.[1] ?? '')?.[1];
  const words = parseJson(args ?? '');
  return Array.isArray(words) ? words : [];
}
