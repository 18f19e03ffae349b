import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type FoundOpencode =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string };

export interface Machine {
  /** as in `process.platform` */
  readonly platform: string;
  /** as in `process.arch` */
  readonly arch: string;
  /** whether the C library is musl, as on Alpine */
  readonly musl: boolean;
  /** whether the processor has AVX2, which the ordinary build for x64 needs */
  readonly avx2: boolean;
}

/**
 * Finds the real binary in its platform package. `opencode-ai/bin/opencode.exe` is never used: it
 * is a stub until its postinstall script ran, and install scripts may be disabled.
 */
export function findOpencode(from: string, machine: Machine): FoundOpencode {
  const resolve = createRequire(join(from, 'package.json')).resolve;
  const names = platformPackages(machine);
  const binary = machine.platform === 'win32' ? 'opencode.exe' : 'opencode';
  for (const name of names) {
    const folder = packageFolder(resolve, name);
    const path = folder && join(folder, 'bin', binary);
    if (path && isExecutable(path)) return { ok: true, path };
  }
  const message =
    `OpenCode's program is not installed (looked for ${names.join(', ')}). ` +
    'Run "npm ci" again, with optional packages on.';
  return { ok: false, message };
}

/** npm names of the packages that may contain the binary for a machine, best one first. */
export function platformPackages({ platform, arch, musl, avx2 }: Machine): readonly string[] {
  const base = `opencode-${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const plain = avx2 || arch !== 'x64' ? [base, `${base}-baseline`] : [`${base}-baseline`, base];
  const forMusl = plain.map((name) => `${name}-musl`);
  return musl ? [...forMusl, ...plain] : [...plain, ...forMusl];
}

function packageFolder(resolve: (id: string) => string, name: string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function thisMachine(readText: (path: string) => string): Machine {
  const { platform, arch } = process;
  const musl = platform === 'linux' && !hasGlibc();
  const avx2 = platform !== 'linux' || /\bavx2\b/.test(readText('/proc/cpuinfo'));
  return { platform, arch, musl, avx2 };
}

function hasGlibc(): boolean {
  const folders = [
    '/lib64',
    '/lib',
    `/lib/${process.arch === 'x64' ? 'x86_64' : 'aarch64'}-linux-gnu`,
  ];
  return folders.some(
    (folder) =>
      existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('ld-linux-')),
  );
}
