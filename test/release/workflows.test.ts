import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: { readonly push: Readonly<Record<string, readonly string[]>> };
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id?: string }[];
}

const workflow = (name: string) => load(read(`.github/workflows/${name}.yml`)) as Workflow;
const [checking, releasing] = [workflow('check'), workflow('release')];
const jobs = [checking, releasing].flatMap((one) => Object.values(one.jobs));
const steps = jobs.flatMap((job) => job.steps ?? []);
const linesOf = (some: readonly Step[] = []) =>
  some.flatMap(({ run }) => run?.split('\n') ?? []).filter((line) => line !== '');
const SHIPPED = ['main.js', 'manifest.json', 'styles.css'];

describe('workflows', () => {
  test('[REL4] run nothing but scripts that exist, and actions by their version', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = linesOf(steps).flatMap((line) => {
      const [, name] = /\bnpm (?:run (?:--silent )?|(?=test\b))([\w:-]+)/.exec(line) ?? [];
      return name ?? [];
    });
    expect(named.toSorted()).toEqual(['build', 'check', 'release', 'release', 'test']);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
    const used = [...jobs, ...steps].flatMap(({ uses }) => uses ?? []);
    expect(used.length).toBeGreaterThan(5);
    for (const uses of used) {
      if (uses.startsWith('./')) expect([uses, existsSync(join(ROOT, uses))]).toEqual([uses, true]);
      else expect(uses).toMatch(/^actions\/[a-z-]+@(v\d+|[0-9a-f]{40})$/);
    }
  });

  test('[REL4] each job has the permissions that it needs, and no text of an event is run', () => {
    expect([checking.permissions, releasing.permissions]).toEqual([{}, {}]);
    expect(Object.entries(checking.jobs).map(([name, job]) => [name, job.permissions])).toEqual([
      ['check', { contents: 'read' }],
    ]);
    expect(Object.entries(releasing.jobs).map(([name, job]) => [name, job.permissions])).toEqual([
      ['check', { contents: 'read' }],
      ['release', { contents: 'write', 'id-token': 'write', attestations: 'write' }],
      ['npm', { contents: 'read', 'id-token': 'write' }],
    ]);
    // An expression in a script would be expanded before the shell runs.
    expect(linesOf(steps).filter((line) => line.includes('${{'))).toEqual([]);
    const kept = steps.filter(({ uses }) => uses?.startsWith('actions/checkout'));
    expect(kept.map((step) => step.with?.['persist-credentials'])).toEqual(kept.map(() => false));
  });

  test('[REL4] a tag without v is checked, built, attested, and only then published', () => {
    expect(releasing.on.push).toEqual({ tags: ['[0-9]+.[0-9]+.[0-9]+'] });
    const { check, release, npm } = releasing.jobs;
    expect(check?.uses).toBe('./.github/workflows/check.yml');
    expect([release?.needs, npm?.needs]).toEqual(['check', 'release']);
    const order = ['release -- --check "$GITHUB_REF_NAME"', 'npm ci', 'run build', 'attest', 'gh '];
    const at = order.map((words) =>
      (release?.steps ?? []).findIndex(({ run = '', uses = '' }) => (run + uses).includes(words)),
    );
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at).not.toContain(-1);
    const attested = release?.steps?.find(({ uses }) => uses?.includes('attest'));
    expect(attested?.with?.['subject-path']?.trim().split('\n')).toEqual(SHIPPED);
    expect(linesOf(release?.steps).at(-1)).toContain(
      `gh release create "$GITHUB_REF_NAME" ${SHIPPED.join(' ')} --verify-tag `,
    );
    expect(linesOf(npm?.steps).at(-1)).toBe('npm publish --provenance --access public');
  });

  test('[REL4] the check runs what ends every submission, on what README.md says the tests need', () => {
    const lines = linesOf(checking.jobs['check']?.steps);
    const own = read('.ci/run').split('\n');
    expect(lines.slice(-3)).toEqual(own.filter((line) => line.startsWith('npm ')));
    const packages = lines.find((line) => line.includes('apt-get install'))?.split(' ');
    const wanted = packages?.slice(packages.indexOf('-qq') + 1) ?? [];
    expect(wanted).toContain('chromium');
    expect(wanted.filter((name) => !read('README.md').includes(name))).toEqual([]);
  });
});

test('[REL5] the forms for issues can be read, and the one for faults asks for diagnostics', () => {
  const forms = readdirSync(join(ROOT, '.github/ISSUE_TEMPLATE')).filter((n) => n !== 'config.yml');
  expect(forms.length).toBeGreaterThan(1);
  for (const name of forms) {
    const form = load(read(`.github/ISSUE_TEMPLATE/${name}`)) as Form;
    expect([form.name, form.description].filter((text) => !text)).toEqual([]);
    const ids = form.body.flatMap(({ type, id }) => (type === 'markdown' ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  }
  expect(read('.github/ISSUE_TEMPLATE/bug.yml')).toMatch(
    /"Copy diagnostics"[^]*`agent-boards doctor --json`[^]*required: true/,
  );
});
