import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { valueAt, type McpServer } from '../../core/connect/clients';
import { parseJson } from '../../core/json';
import { PRODUCT_VERSION } from '../../core/version';
import { fail } from '../command';

const PACKAGE = 'agent-task-boards';

/** Maximum ms for the registry's answer. */
const REGISTRY_TIMEOUT = 10_000;

/**
 * Our server as started by npx. The owner of the name in the registry then decides what runs, so
 * the registry's package of this version has to be identical to the running one.
 * @param program absolute path of the command line, links resolved
 * @throws EarlyExit if that can't be verified
 */
export async function npxServer(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<McpServer> {
  const own = await ownIntegrity(program);
  const registry = await npmRegistry(env);
  const known = await integrityIn(registry);
  if (known !== own) {
    const why = `${registry} has ${PACKAGE}@${PRODUCT_VERSION} as another package than the one that runs here`;
    fail('not_the_package', `${why} (${known}, not ${own}). Connect without --npx.`);
  }
  const words = ['-y', `${PACKAGE}@${PRODUCT_VERSION}`, ...args];
  if (process.platform !== 'win32') return { command: 'npx', args: words };
  return { command: 'cmd', args: ['/c', 'npx', ...words] };
}

/**
 * The integrity hash that npm recorded when it installed the package, in the parent folder or in
 * npx's cache.
 */
async function ownIntegrity(program: string): Promise<string> {
  const folder = dirname(dirname(program));
  const modules = dirname(folder);
  const list = join(modules, '.package-lock.json');
  const isInstalled = basename(modules) === 'node_modules' && basename(folder) === PACKAGE;
  const text = isInstalled ? await readFile(list, 'utf8').catch(() => '') : '';
  const entry = valueAt(parseJson(text), ['packages', `node_modules/${PACKAGE}`]);
  const integrity = valueAt(entry, ['integrity']);
  if (typeof integrity === 'string' && valueAt(entry, ['version']) === PRODUCT_VERSION)
    return integrity;
  const why = isInstalled ? `${list} does not say it` : `npm did not install it in ${folder}`;
  return fail(
    'unknown_package',
    `which package runs here is not known: ${why}. Connect without --npx.`,
  );
}

async function npmRegistry(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const given = env.npm_config_registry ?? '';
  const text =
    given === ''
      ? await promisify(execFile)('npm', ['config', 'get', 'registry'], {
          shell: process.platform === 'win32',
        }).then(
          ({ stdout }) => stdout.trim(),
          (error: unknown) => fail('no_npm', `npm does not say its registry: ${String(error)}`),
        )
      : given;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) return url.href;
  return fail('bad_registry', `the registry of npm, "${text}", is not reached by https.`);
}

async function integrityIn(registry: string): Promise<string> {
  const address = new URL(`${PACKAGE}/${PRODUCT_VERSION}`, registry.replace(/\/*$/, '/'));
  const failed = (why: string): never =>
    fail('no_answer', `${address.href} does not say which package it has: ${why}.`);
  const signal = AbortSignal.timeout(REGISTRY_TIMEOUT);
  const answer = await fetch(address, { redirect: 'error', signal })
    .then(async (got) => ({ status: got.status, text: await got.text() }))
    .catch((error: unknown) => failed(String(error)));
  if (answer.status !== 200) failed(`status ${answer.status}`);
  const manifest = parseJson(answer.text);
  const integrity = valueAt(manifest, ['dist', 'integrity']);
  const isOurPackage =
    valueAt(manifest, ['name']) === PACKAGE && valueAt(manifest, ['version']) === PRODUCT_VERSION;
  return isOurPackage && typeof integrity === 'string'
    ? integrity
    : failed('its answer names no integrity');
}
