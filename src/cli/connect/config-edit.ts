import { isDeepStrictEqual } from 'node:util';
import {
  configText,
  SERVER_NAME,
  tomlText,
  type AgentClient,
  type McpServer,
} from '../../core/connect/clients';
import { vaultPosition, commandLineOf, tomlValue } from '../../core/connect/configured-vault';
import { fail } from '../command';
import { JsonText } from './json-edit';
import { tomlFault } from './toml-fault';
import { findMarkedBlock, withBlock, withoutBlock, type Marks } from './marked-block';

const TOML_MARKS: Marks = {
  begin: '# agent-task-boards: begin, written by agent-boards connect',
  end: '# agent-task-boards: end',
};

/**
 * The configuration with our server added. Keeps what a person added to our entry.
 * @param text undefined if there is no file
 * @throws EarlyExit if it can't be read, or has another server under our name
 */
export function withServer(
  client: AgentClient,
  path: string,
  text: string | undefined,
  server: McpServer,
): string {
  if (client.format === 'toml') return withTomlServer(client, path, text, server);
  if (text === undefined) return `${configText(client, server)}\n`;
  const { json, keys, entry } = jsonEntry(client, path, text);
  if (entry === undefined) return json.withValue(keys, client.entry(server)).text;
  return Object.entries(client.entry(withAdded(server, commandLineOf(entry)))).reduce(
    (edited, [key, value]) => edited.withValue([...keys, key], value),
    json,
  ).text;
}

/** The configuration without our server; undefined if the file was created for it. */
export function withoutServer(
  client: AgentClient,
  path: string,
  text: string | undefined,
): string | undefined {
  if (text === undefined) return undefined;
  if (client.format === 'toml') return withoutSubtables(withoutBlock(path, text, TOML_MARKS));
  const { json, keys } = jsonEntry(client, path, text);
  const left = json.withoutValue(keys).text;
  // A file that existed before looks different: there our key directly follows the brace.
  const wasMade = left !== text && /^\{\s/.test(text) && /^\{\s*\}\s*$/.test(left);
  return wasMade ? undefined : left;
}

function jsonEntry(
  client: AgentClient,
  path: string,
  text: string,
): { readonly json: JsonText; readonly keys: readonly string[]; readonly entry: unknown } {
  const json = new JsonText(path, text);
  const keys = [...client.servers(json.value([])), SERVER_NAME];
  const entry = json.value(keys);
  if (entry !== undefined && vaultPosition(commandLineOf(entry)) < 0) {
    const what = `has a server "${SERVER_NAME}" that does not start agent-boards mcp`;
    fail('not_ours', `${path} ${what}. Rename or remove it, then try again.`);
  }
  return { json, keys, entry };
}

/**
 * The server's command line with the arguments that a person added after the vault in the existing
 * one.
 */
function withAdded({ command, args }: McpServer, words: readonly unknown[]): McpServer {
  const at = vaultPosition(words);
  const added = at < 0 ? [] : words.slice(at + 1).filter((word) => typeof word === 'string');
  return { command, args: [...args, ...added] };
}

function withTomlServer(
  client: AgentClient,
  path: string,
  text: string | undefined,
  server: McpServer,
): string {
  const found = text === undefined ? undefined : findMarkedBlock(path, text, TOML_MARKS);
  const block = (text ?? '').slice(found?.start ?? 0, found?.end ?? 0);
  const others = (text ?? '').replace(block, block.replace(/[^\n]/g, ''));
  const fault = tomlFault(others);
  if (fault !== undefined) {
    const what = `can't be read as TOML, line ${fault.line}: ${fault.what}`;
    fail('bad_config', `${path} ${what}. Repair it, then try again.`);
  }
  refuseOther(path, others);
  const fresh = configText(client, server);
  if (found === undefined) return withBlock(path, text, TOML_MARKS, fresh);
  const inner = found.inner.replaceAll('\r\n', '\n').trimEnd();
  const whole = withAdded(server, tomlValue(inner, 'args')?.words ?? []);
  const edited = Object.entries(client.entry(whole)).reduce((lines, [key, value]) => {
    const old = tomlValue(lines, key);
    if (old === undefined) {
      const what = `has no "${key}" that this command can read for ${SERVER_NAME}`;
      return fail('bad_config', `${path} ${what}. Use --remove, then try again.`);
    }
    if (isDeepStrictEqual(old.words, [value].flat())) return lines;
    return lines.slice(0, old.start) + tomlText(value) + lines.slice(old.end);
  }, inner);
  return withBlock(path, text, TOML_MARKS, edited);
}

/**
 * Refuses a second table of the same name, which would make the whole file invalid for the client.
 */
function refuseOther(path: string, text: string): void {
  const name = `["']?${SERVER_NAME}["']?`;
  const servers = `["']?mcp_servers["']?\\s*`;
  const table = `\\[\\s*${servers}\\.\\s*${name}\\s*\\]`;
  const key = `(?:${servers}\\.\\s*)?${name}\\s*[.=]|${servers}=`;
  if (!new RegExp(`^\\s*(?:${table}|${key})`, 'm').test(text)) return;
  const what = `has "mcp_servers" with ${SERVER_NAME}, or in one line, which this command did not write`;
  fail('not_ours', `${path} ${what}. Remove that, then try again.`);
}

/**
 * Removes Codex's own tables below our server, such as approvals: alone they would define a server
 * without a command.
 */
function withoutSubtables(text: string | undefined): string | undefined {
  const table = new RegExp(
    `^\\[mcp_servers\\.${SERVER_NAME}\\..*\\n?(?:[\\w"'.-]+\\s*=.*\\n?)*`,
    'gm',
  );
  return text?.replace(table, '');
}
