// Lists what the modules of a folder declare and import, using TypeScript's parser.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

/** Parses the .ts and .tsx files below `folder`; paths are relative to `root`, with slashes. */
export function readModules(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.c?tsx?$/.test(entry.name))
    .map((entry) => readModule(root, join(entry.parentPath, entry.name)))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Parses one file. `imports` are the project's own files that it imports, types included; `targets`
 * maps each specifier to its file.
 */
export function readModule(root, file) {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map((one) => one.fileName);
  const name = (path) => relative(root, path).split(sep).join('/');
  const targets = new Map(
    specifiers.flatMap((one) => resolve(file, one).map((path) => [one, name(path)])),
  );
  return { path: name(file), text, source, targets, imports: [...new Set(targets.values())] };
}

function resolve(from, specifier) {
  if (!specifier.startsWith('.')) return [];
  const path = join(dirname(from), specifier);
  const found = ['', '.ts', '.tsx']
    .map((end) => path + end)
    .find((each) => /\.[a-z]+$/.test(each) && existsSync(each));
  if (found === undefined) throw new Error(`${from} imports ${specifier}, which is no file.`);
  return [found];
}

/** Strongly connected components with more than one module (Tarjan). */
export function circles(modules) {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (path) => {
    index.set(path, index.size);
    low.set(path, index.get(path));
    stack.push(path);
    for (const next of byPath.get(path).imports) {
      if (!byPath.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(path, Math.min(low.get(path), low.get(next)));
    }
    if (low.get(path) !== index.get(path)) return;
    const members = stack.splice(stack.indexOf(path));
    if (members.length > 1) found.push(members.sort());
  };
  for (const { path } of modules) if (!index.has(path)) visit(path);
  return found;
}

/** Exported names that more than one module declares, with those modules. */
export function doubleExports(modules) {
  const declaredIn = new Map();
  for (const { path, source } of modules) {
    for (const name of exportedNames(source)) {
      declaredIn.set(name, [...(declaredIn.get(name) ?? []), path]);
    }
  }
  return [...declaredIn]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => ({ name, paths }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Names re-exported from another module (`export … from`, or imported and exported) don't count as
 * declared here.
 */
function exportedNames(source) {
  const names = new Set();
  for (const statement of source.statements) {
    if (statement.modifiers?.some((one) => one.kind === ts.SyntaxKind.ExportKeyword)) {
      for (const name of declaredNames(statement)) names.add(name);
    }
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) continue;
    for (const { name } of statement.exportClause.elements) names.add(name.text);
  }
  for (const name of importedNames(source)) names.delete(name);
  return names;
}

function importedNames(source) {
  return source.statements.filter(ts.isImportDeclaration).flatMap(({ importClause }) => {
    const elements = importClause?.namedBindings?.elements ?? [];
    return elements.map(({ name }) => name.text);
  });
}

function declaredNames(statement) {
  if (!ts.isVariableStatement(statement)) {
    const isDefault = statement.modifiers.some((one) => one.kind === ts.SyntaxKind.DefaultKeyword);
    return isDefault || statement.name === undefined ? [] : [statement.name.text];
  }
  const names = [];
  const collect = (name) => {
    if (ts.isIdentifier(name)) names.push(name.text);
    else for (const element of name.elements) if (element.name) collect(element.name);
  };
  for (const declaration of statement.declarationList.declarations) collect(declaration.name);
  return names;
}

/**
 * Exports of `modules` that the programs don't use: neither their own module nor an import refers
 * to them. Tests and benchmarks don't count as users. A namespace import and `import()` count as a
 * use of every export.
 */
export function unusedExports(modules, inPrograms) {
  const used = new Map();
  const use = (path, name) => used.set(path, (used.get(path) ?? new Set()).add(name));
  for (const { targets, source } of inPrograms) {
    const visit = (node) => {
      const specifier = node.moduleSpecifier ?? node.argument?.literal ?? node.arguments?.[0];
      const target = isCall(node) ? undefined : targets.get(specifier?.text);
      if (target !== undefined) for (const name of namesTaken(node)) use(target, name);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return modules.flatMap(({ path, source }) => {
    const names = used.get(path) ?? new Set();
    if (names.has('*')) return [];
    return [...exportedNames(source)]
      .filter((name) => !names.has(name) && mentions(source, name) < 2)
      .map((name) => ({ path, name }));
  });
}

/** How often an identifier occurs in a module, its declaration included. */
function mentions(source, name) {
  let count = 0;
  const visit = (node) => {
    if (ts.isIdentifier(node) && node.text === name) count += 1;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return count;
}

function isCall(node) {
  return ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.ImportKeyword;
}

/** The names that an import or a re-export takes from its module; `*` for all of them. */
function namesTaken(node) {
  if (ts.isExportDeclaration(node)) {
    if (node.exportClause === undefined) return ['*'];
    return (node.exportClause.elements ?? [{ name: { text: '*' } }]).map(takenName);
  }
  if (ts.isImportDeclaration(node)) {
    const { name, namedBindings } = node.importClause ?? {};
    const elements =
      namedBindings === undefined ? [] : (namedBindings.elements ?? [{ name: { text: '*' } }]);
    return [...(name === undefined ? [] : ['default']), ...elements.map(takenName)];
  }
  if (ts.isImportTypeNode(node)) return [node.qualifier?.text ?? '*'];
  return ['*'];
}

function takenName({ name, propertyName }) {
  return (propertyName ?? name).text;
}

/** Number of lines with code: no blank lines, comments or imports. */
export function codeLines({ source }) {
  const lines = new Set();
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length > 0) return children.forEach(visit);
    // Text of JSX and templates may contain blank lines, which don't count.
    let line = lineAt(node.getStart(source));
    for (const part of node.getText(source).split('\n')) {
      if (part.trim() !== '') lines.add(line);
      line += 1;
    }
  };
  visit(source);
  return lines.size;
}

/**
 * Every function of a module with its number of lines, counted as the lint rule
 * `max-lines-per-function` does.
 */
export function functions({ path, source }) {
  const found = [];
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const start = lineAt(node.getStart(source));
      found.push({ path, line: start, lines: lineAt(node.end) - start + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
