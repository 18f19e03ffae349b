// Prepares a release: `npm run release -- [--dry-run] X.Y.Z`.
// Runs all checks first, then writes the version into every file that names it, or into none. It
// commits, tags and publishes nothing, but prints the commands for that. `-- --check X.Y.Z` only
// checks that all files agree on the version; `-- --notes X.Y.Z` prints its section of CHANGELOG.md
// for the workflow.
// Exit codes: 0 success, 1 a check failed or a file could not be written, 2 wrong usage.
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = join(import.meta.dirname, '..');
const USAGE = `Usage: npm run release -- [--dry-run | --check | --notes] X.Y.Z

  --dry-run   writes nothing: shows what would change, and each check with its result
  --check     only looks whether all files agree on this version
  --notes     prints what CHANGELOG.md says of this version`;

/** Each file that names the version: how to read it from the text, and how to replace it. */
const FILES = {
  'manifest.json': jsonVersion(),
  'package.json': jsonVersion(),
  'package-lock.json': {
    read: (text) => {
      const { version, packages } = JSON.parse(text);
      const own = packages?.['']?.version;
      return version === own ? version : `${version} and ${own}`;
    },
    // The first two: the file's own version, and that of the root package.
    write: (text, version) => {
      let count = 0;
      return text.replace(/^(\s*"version": )"[^"]*"/gm, (line, name) =>
        ++count <= 2 ? `${name}"${version}"` : line,
      );
    },
  },
  'versions.json': {
    read: (text) => highest(Object.keys(JSON.parse(text))),
    write: (text, version, { minAppVersion }) =>
      `${JSON.stringify({ ...JSON.parse(text), [version]: minAppVersion }, null, 2)}\n`,
  },
  'src/core/version.ts': {
    read: (text) => /^export const PRODUCT_VERSION = '(.*)';$/m.exec(text)?.[1],
    write: (text, version) =>
      text.replace(/^(export const PRODUCT_VERSION = ').*(';)$/m, `$1${version}$2`),
  },
  'CHANGELOG.md': {
    read: (text) => /^## (\d\S*)/m.exec(text)?.[1],
    write: (text, version) =>
      text.replace(
        /^## Unreleased\n/m,
        `## Unreleased\n\n## ${version} - ${new Date().toISOString().slice(0, 10)}\n`,
      ),
  },
};

function jsonVersion() {
  return {
    read: (text) => JSON.parse(text).version,
    write: (text, version) =>
      text.replace(/^(\s*"version": )"[^"]*"/m, (_, name) => `${name}"${version}"`),
  };
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

function compare(one, other) {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  return a.map((part, at) => part - b[at]).find((difference) => difference !== 0) ?? 0;
}

function highest(versions) {
  return versions.toSorted(compare).at(-1);
}

function usage(why) {
  console.error(`${why}\n\n${USAGE}`);
  process.exit(2);
}

/** @returns the mode and the requested version */
function readArguments() {
  const [options, rest] = [[], []];
  for (const word of process.argv.slice(2)) (word.startsWith('-') ? options : rest).push(word);
  const unknown = options.find((word) => !['--dry-run', '--check', '--notes'].includes(word));
  if (unknown !== undefined) usage(`There is no option ${unknown}.`);
  if (options.length > 1) usage(`${options.join(' and ')} are not for one call.`);
  const [version, more] = rest;
  if (version === undefined) usage('The version is missing, as in 1.2.0.');
  if (more !== undefined) usage(`One version at a time: "${more}" is left over.`);
  if (/^v\d/i.test(version))
    usage(`"${version}": the store wants the version without v, as in ${version.slice(1)}.`);
  if (!VERSION.test(version))
    usage(`"${version}" is not a version that the store takes: three numbers, as in 1.2.0.`);
  return { mode: options[0] ?? '--write', version };
}

/** Exits the program if git fails, as outside a repository. */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch (error) {
    const why = error.stderr?.trim() || error.message;
    console.error(`A release is made in a clone of the repository, with git: ${why}`);
    return process.exit(1);
  }
}

/** The section of CHANGELOG.md under a heading, without the heading; undefined if there is none. */
function section(text, name) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line === `## ${name}` || line.startsWith(`## ${name} `));
  if (start === -1) return undefined;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim();
}

/** Checks that all files name the same version. */
function agreement(texts, version) {
  return Object.entries(FILES).map(([name, { read }]) => {
    const now = read(texts[name]);
    return [`${name} says ${now ?? 'no version'}`, now === version, `It has to say ${version}.`];
  });
}

/** Obsidian goes by versions.json, the apps that it then runs in by manifest.json. */
function oldestObsidian(texts, version) {
  const { minAppVersion } = JSON.parse(texts['manifest.json']);
  const listed = JSON.parse(texts['versions.json'])[version];
  const what = `versions.json has Obsidian ${listed ?? 'nothing'} for ${version}`;
  return [what, listed === minAppVersion, `manifest.json has ${minAppVersion}.`];
}

/** The checks of a new version: what is checked, whether it passes, and what to do if it fails. */
function checks(texts, version) {
  const { version: now, minAppVersion, id, description } = JSON.parse(texts['manifest.json']);
  const changelog = texts['CHANGELOG.md'];
  return [
    ...agreement(texts, now),
    [`${version} is higher than ${now}`, compare(version, now) > 0, `Choose one above ${now}.`],
    [
      `minAppVersion of manifest.json is a version`,
      VERSION.test(minAppVersion ?? ''),
      'Set it to the oldest Obsidian that the plugin runs in.',
    ],
    [
      'versions.json has the minAppVersion of the version before',
      VERSION.test(JSON.parse(texts['versions.json'])[now] ?? ''),
      `Add "${now}" with the Obsidian that it needs.`,
    ],
    [
      'manifest.json has an id and a description of at most 250 characters',
      /^[a-z][a-z-]*$/.test(id) && description.length <= 250 && description.endsWith('.'),
      'The store refuses it otherwise.',
    ],
    [
      'CHANGELOG.md has entries under "## Unreleased"',
      /^- \S/m.test(section(changelog, 'Unreleased') ?? ''),
      'Write under "## Unreleased" what changed, one "- " for each.',
    ],
    [
      `CHANGELOG.md does not have ${version} yet`,
      section(changelog, version) === undefined,
      'Move its entries back under "## Unreleased".',
    ],
    [
      `there is no tag ${version} yet`,
      git('tag', '--list', version) === '',
      `Choose another version, or remove the tag: git tag --delete ${version}`,
    ],
  ];
}

/** Uncommitted changes would become part of the release's commit, or be missing from it. */
function nothingUncommitted() {
  const changed = git('status', '--porcelain');
  const help = `Commit or stash first:\n${changed.replace(/^/gm, '       ')}`;
  return ['nothing is uncommitted', changed === '', help];
}

function told(list) {
  for (const [what, holds, help] of list)
    console.log(holds ? `  ok   ${what}` : `  NO   ${what}. ${help}`);
  return list.every(([, holds]) => holds);
}

function difference(name, before, after) {
  const [old, next] = [before, after].map((text) => text.split('\n'));
  const hunks = [];
  if (old.length === next.length) {
    for (const [at, line] of old.entries())
      if (line !== next[at]) hunks.push(`@@ line ${at + 1} @@`, `-${line}`, `+${next[at]}`);
  } else {
    const start = old.findIndex((line, at) => line !== next[at]);
    let [end, nextEnd] = [old.length, next.length];
    while (Math.min(end, nextEnd) > start && old[end - 1] === next[nextEnd - 1]) {
      end -= 1;
      nextEnd -= 1;
    }
    hunks.push(
      `@@ line ${start + 1} @@`,
      ...old.slice(start, end).map((line) => `-${line}`),
      ...next.slice(start, nextEnd).map((line) => `+${line}`),
    );
  }
  return `--- ${name}\n+++ ${name}\n${hunks.join('\n')}`;
}

/** Writes all temporary files first; if one can't be renamed, the files before it are restored. */
function writeAll(before, after) {
  const [made, done] = [[], []];
  try {
    for (const [name, text] of Object.entries(after)) {
      writeFileSync(join(root, `${name}.release`), text, { flag: 'wx' });
      made.push(name);
    }
    for (const name of made) {
      renameSync(join(root, `${name}.release`), join(root, name));
      done.push(name);
    }
  } catch (error) {
    for (const name of done) writeFileSync(join(root, name), before[name]);
    for (const name of made) rmSync(join(root, `${name}.release`), { force: true });
    console.error(`Nothing was changed: ${error.message}`);
    process.exit(1);
  }
}

/** Reads the text of each file. Exits the program if one can't be read. */
function readAll() {
  const read = (name) => {
    const text = readFileSync(join(root, name), 'utf8');
    if (name.endsWith('.json')) JSON.parse(text);
    return [name, text];
  };
  return Object.fromEntries(
    Object.keys(FILES).map((name) => {
      try {
        return read(name);
      } catch (error) {
        console.error(`${name} can't be read: ${error.message}`);
        return process.exit(1);
      }
    }),
  );
}

const { mode, version } = readArguments();
const texts = readAll();

if (mode === '--notes') {
  const notes = section(texts['CHANGELOG.md'], version);
  if (notes === undefined) {
    console.error(`CHANGELOG.md has no "## ${version}".`);
    process.exit(1);
  }
  console.log(notes);
} else if (mode === '--check') {
  const all = [...agreement(texts, version), oldestObsidian(texts, version)];
  process.exitCode = told(all) ? 0 : 1;
} else {
  const manifest = JSON.parse(texts['manifest.json']);
  const after = Object.fromEntries(
    Object.entries(FILES).map(([name, { write }]) => [name, write(texts[name], version, manifest)]),
  );
  console.log('Before:');
  const tree = mode === '--write' ? [nothingUncommitted()] : [];
  const isReady = told([...checks(texts, version), ...tree]);
  console.log('After:');
  const agrees = told(agreement(after, version));
  if (mode === '--dry-run') {
    const changes = Object.keys(after).map((name) => difference(name, texts[name], after[name]));
    console.log(`\n${changes.join('\n\n')}\n\nNothing was written.`);
  }
  if (!isReady || !agrees) {
    console.error('A check failed: see NO above. Nothing was written.');
    process.exit(1);
  }
  if (mode === '--write') {
    writeAll(texts, after);
    console.log(`
Written. What is left to do; the pushed tag starts .github/workflows/release.yml:

  npm run check && npm test
  git add ${Object.keys(FILES).join(' ')}
  git commit -m "Release ${version}"
  git tag -a ${version} -m ${version}
  git push origin HEAD ${version}`);
  }
}
