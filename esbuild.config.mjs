// Builds what ships: main.js (plugin and bridge in one), dist/cli.js with the two programs that it
// starts, and dist/simple-todo-manager.js and dist/api.js for other programs to import.
// `node esbuild.config.mjs workbench` also builds the stand-in for Obsidian and the demo.
import { chmod, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

const common = {
  bundle: true,
  minify: true,
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
  define: {
    'process.env.NODE_ENV': '"production"',
    // Keeps `ws` from looking for native add-ons that are not bundled.
    'process.env.WS_NO_BUFFER_UTIL': '"1"',
    'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
  },
};

/** Modules that Obsidian provides to every plugin. */
const obsidianProvides = [
  'obsidian',
  'electron',
  ...['autocomplete', 'collab', 'commands', 'language', 'lint', 'search', 'state', 'view'].map(
    (name) => `@codemirror/${name}`,
  ),
  ...['common', 'highlight', 'lr'].map((name) => `@lezer/${name}`),
];

/**
 * Makes V8 compile the modules as it reads them. esbuild wraps each in a function, `y(() => {…})`,
 * which V8 would first only pre-parse and then parse again when it is called: evaluating the plugin
 * took half as long again. V8 compiles eagerly what looks like an immediate call: a `function`
 * after a parenthesis.
 */
const compiledAtOnce = {
  name: 'compiled-at-once',
  setup(pluginBuild) {
    const { write = true } = pluginBuild.initialOptions;
    pluginBuild.initialOptions.write = false;
    pluginBuild.onEnd(async ({ outputFiles }) => {
      for (const file of outputFiles) {
        file.contents = Buffer.from(withModulesAsFunctions(file.text));
        if (write) await writeFile(file.path, file.contents);
      }
    });
  },
};

function withModulesAsFunctions(code) {
  const source = ts.createSourceFile('main.js', code, ts.ScriptTarget.Latest);
  const modules = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .map(({ initializer }) => initializer)
    .filter((value) => value !== undefined && ts.isCallExpression(value))
    .filter((call) => call.arguments.length === 1 && ts.isArrowFunction(call.arguments[0]))
    .map((call) => call.arguments[0]);
  let text = '';
  let at = 0;
  for (const { body, parameters, pos, end } of modules) {
    if (parameters.length > 0 || !ts.isBlock(body)) continue;
    text += `${code.slice(at, pos)}(function()${code.slice(body.pos, end)})`;
    at = end;
  }
  return text + code.slice(at);
}

/** Loaded by Obsidian as the plugin, and by OpenCode as the bridge. */
export const plugin = {
  ...common,
  entryPoints: ['src/program.cts'],
  outfile: 'main.js',
  format: 'cjs',
  platform: 'node',
  // Prefers ES modules of a package, so that unused exports are dropped.
  mainFields: ['module', 'main'],
  external: obsidianProvides,
  // The app can't resolve a guarded `await import('node:…')`: it has to become a require.
  supported: { 'dynamic-import': false },
  plugins: [compiledAtOnce],
  // The version tells which copy in a vault is newer.
  banner: { js: `// agent-task-boards ${version}` },
};

// A Node program as an ES module; it needs a `require` for its CommonJS dependencies.
const nodeProgram = {
  ...common,
  format: 'esm',
  platform: 'node',
  // The UMD build of jsonc-parser can't be bundled.
  mainFields: ['module', 'main'],
  banner: {
    js: "import { createRequire as atbCreateRequire } from 'node:module'; const require = atbCreateRequire(import.meta.url);",
  },
};

/** The executable: it loads one of the two programs next to it. */
const cli = {
  ...nodeProgram,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/cli.js',
  banner: {},
  plugins: [
    {
      name: 'programs-beside',
      setup(cliBuild) {
        cliBuild.onResolve({ filter: /^\.\/(read|whole)-program$/ }, ({ path }) => ({
          path: `${path}.js`,
          external: true,
        }));
      },
    },
  ],
};

const commands = ['read-program', 'whole-program'].map((name) => ({
  ...nodeProgram,
  entryPoints: [`src/cli/${name}.ts`],
  outfile: `dist/${name}.js`,
}));

/** For other programs and plugins, each with bundled types that refer to no other file of ours. */
const SIMPLE = 'src/cli/simple-todo-manager.ts';
const simple = { ...nodeProgram, entryPoints: [SIMPLE], outfile: 'dist/simple-todo-manager.js' };

const API = 'src/obsidian/api/api.ts';
const api = { ...common, format: 'esm', entryPoints: [API], outfile: 'dist/api.js' };

async function writeTypes(outfile, ...files) {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, isolatedDeclarations: true };
  const texts = files.map(async (file) => {
    const { outputText, diagnostics } = ts.transpileDeclaration(await readFile(file, 'utf8'), {
      compilerOptions,
      reportDiagnostics: true,
    });
    if (diagnostics.length > 0) throw new Error(`${file}: its types can't stand alone.`);
    return outputText;
  });
  const text = (await Promise.all(texts)).join('');
  const names = files.map((file) => basename(file, '.ts')).join('|');
  const alone = text.replace(
    new RegExp(`^import type .* from '[./\\w-]*/(?:${names})';\n`, 'gm'),
    '',
  );
  if (/^import /m.test(alone)) throw new Error(`${outfile} names other files.`);
  await writeFile(outfile, alone);
}

const workbench = [
  {
    ...common,
    entryPoints: {
      page: 'workbench/page/main.ts',
      'blocking-worker': 'workbench/page/node/blocking-worker.ts',
      style: 'workbench/styles/main.css',
    },
    outdir: 'workbench/build',
    format: 'iife',
    platform: 'browser',
    sourcemap: 'linked',
    charset: 'ascii',
  },
  {
    ...nodeProgram,
    entryPoints: {
      serve: 'workbench/server/main.ts',
      demo: 'workbench/demo/main.ts',
      'install-plugin': 'workbench/install-plugin.ts',
    },
    outdir: 'workbench/build',
    packages: 'external',
    minify: false,
  },
];

/** Everything that ships: the source reached from here is what users get. */
export const programs = [plugin, cli, ...commands, simple, api];

async function buildAll() {
  await Promise.all([
    build(plugin),
    build(cli).then(() => chmod('dist/cli.js', 0o755)),
    ...commands.map((options) => build(options)),
    build(simple).then(() => writeTypes('dist/simple-todo-manager.d.ts', SIMPLE)),
    build(api).then(() => writeTypes('dist/api.d.ts', 'src/core/hook/hook-events.ts', API)),
    ...(process.argv.includes('workbench') ? workbench.map((options) => build(options)) : []),
  ]);
}

const started = process.argv[1] && (await realpath(process.argv[1]));
if (started === import.meta.filename) await buildAll();
