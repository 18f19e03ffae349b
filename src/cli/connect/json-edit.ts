import {
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { stopped } from '../command';

/**
 * Edits of JSON with comments that keep every byte which is not theirs: what `withValue` adds,
 * `withoutValue` takes away again, to the same text. `modify` of jsonc-parser formats the lines around anew.
 */
export class JsonText {
  private readonly root: Node;

  /**
   * @param file that it stands in, for messages
   * @throws EarlyExit where it is no JSON object, or a key stands twice in an object that is gone through
   */
  constructor(
    private readonly file: string,
    readonly text: string,
  ) {
    const errors: ParseError[] = [];
    const root = this.parsed(errors);
    const [first] = errors;
    if (first !== undefined) {
      const line = text.slice(0, first.offset).split('\n').length;
      const why = printParseErrorCode(first.error);
      this.refuse(`can't be read as JSON, line ${line}: ${why}. Repair it, then try again.`);
    }
    if (root?.type !== 'object') this.refuse('is not a JSON object. Repair it, then try again.');
    this.root = root;
  }

  private parsed(errors: ParseError[]): Node | undefined {
    try {
      // A byte order mark is no JSON; a blank in its place keeps the offsets.
      const plain = this.text.replace(/^\ufeff/, ' ');
      return parseTree(plain, errors, { allowTrailingComma: true });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.refuse('is nested too deep to be read. Repair it, then try again.');
    }
  }

  /** What stands behind the keys; undefined where nothing does. */
  value(keys: readonly string[]): unknown {
    const { node, missing } = this.find(keys);
    return missing.length > 0 ? undefined : (getNodeValue(node) as unknown);
  }

  /** The text with a value behind the keys; what it replaces is gone, what is missing above it is made. */
  withValue(keys: readonly string[], value: unknown): JsonText {
    const { node, missing } = this.find(keys);
    const [key, ...inner] = missing;
    if (key === undefined) {
      if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return this;
      return this.spliced(node.offset, node.length, this.written(value, this.indent(node.offset)));
    }
    if (node.type !== 'object') {
      this.refuse(`has no object above "${missing.join('.')}". Repair it, then try again.`);
    }
    const nested = inner.reduceRight((deeper: unknown, name) => ({ [name]: deeper }), value);
    const property = (indent: string | undefined): string =>
      `${JSON.stringify(key)}: ${this.written(nested, indent)}`;
    const last = node.children?.at(-1);
    // Without a blank before it: by that it is told from an object that was made here.
    if (last === undefined) {
      return this.spliced(node.offset + 1, 0, property(this.indent(node.offset)));
    }
    const at = last.offset + last.length;
    const { comma, end } = this.behind(last);
    const between = this.text.slice(at, end);
    // Behind a comment to the end of its line there has to be a new one.
    const indent = this.indent(last.offset, true) ?? (between.includes('//') ? '' : undefined);
    const added = (indent === undefined ? ' ' : this.eol + indent) + property(indent);
    if (comma !== undefined) return this.spliced(Math.max(end, comma + 1), 0, `${added},`);
    return this.spliced(at, end - at, `,${between}${added}`);
  }

  /** The text without what stands behind the keys, and without what `withValue` made above it. */
  withoutValue(keys: readonly string[]): JsonText {
    const { node, missing } = this.find(keys);
    const property = node.parent;
    const object = property?.parent;
    if (missing.length > 0 || property === undefined || object?.children === undefined) return this;
    const blank = /(?:\r?\n[ \t]*| )?$/.exec(this.text.slice(0, property.offset))?.[0].length ?? 0;
    const wasMade = blank > 0 && object !== this.root;
    if (wasMade && this.isBare(object, property)) return this.withoutValue(keys.slice(0, -1));
    const { comma } = this.behind(property);
    const before = object.children[object.children.indexOf(property) - 1];
    const lost = comma ?? (before === undefined ? undefined : this.behind(before).comma);
    const at = property.offset - blank;
    const cuts = [[at, property.offset + property.length] as const];
    if (lost !== undefined) cuts.push([lost, lost + 1]);
    // From the back, so that the offsets hold.
    const text = cuts
      .sort(([one], [other]) => other - one)
      .reduce((left, [from, to]) => left.slice(0, from) + left.slice(to), this.text);
    return new JsonText(this.file, text);
  }

  private find(keys: readonly string[]): {
    readonly node: Node;
    readonly missing: readonly string[];
  } {
    let node = this.root;
    for (const [depth, key] of keys.entries()) {
      const found = (node.type === 'object' ? (node.children ?? []) : []).filter(
        ({ children }) => children?.[0]?.value === key,
      );
      if (found.length > 1)
        this.refuse(`has "${key}" twice in one object. Keep one, then try again.`);
      const next = found[0]?.children?.[1];
      if (next === undefined) return { node, missing: keys.slice(depth) };
      node = next;
    }
    return { node, missing: [] };
  }

  /** The comma behind a property, if there is one, and where the comments behind it end. */
  private behind({ offset, length }: Node): { readonly comma?: number; readonly end: number } {
    const tokens = /\s+|\/\/.*|\/\*[^]*?\*\/|,/gy;
    tokens.lastIndex = offset + length;
    let comma: number | undefined;
    let end = offset + length;
    for (const { 0: token, index } of this.text.matchAll(tokens)) {
      if (token === ',') comma = index;
      else if (token.startsWith('/')) end = index + token.length;
    }
    return { ...(comma !== undefined && { comma }), end };
  }

  /** Whether an object holds this property and, comments included, nothing else. */
  private isBare({ offset, length }: Node, property: Node): boolean {
    const before = this.text.slice(offset + 1, property.offset);
    const after = this.text.slice(property.offset + property.length, offset + length - 1);
    return before.trim() === '' && /^,?$/.test(after.trim());
  }

  /**
   * What the line begins with that an offset is in; undefined where all of the text is one line.
   * @param first only where nothing else stands before it in the line
   */
  private indent(offset: number, first = false): string | undefined {
    if (!this.text.trim().includes('\n')) return undefined;
    const line = /[^\n]*$/.exec(this.text.slice(0, offset))?.[0] ?? '';
    const blank = /^[ \t]*/.exec(line)?.[0] ?? '';
    return first && blank !== line ? undefined : blank;
  }

  private get eol(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n';
  }

  /** @param indent of the line that it stands in; undefined: all in one line */
  private written(value: unknown, indent: string | undefined): string {
    if (indent === undefined) return JSON.stringify(value).replace(/^\{(?=")/, '{ ');
    const unit = /\n([ \t]+)"/.exec(this.text)?.[1] ?? '  ';
    return JSON.stringify(value, null, unit).replaceAll('\n', this.eol + indent);
  }

  private spliced(offset: number, length: number, added: string): JsonText {
    const { text } = this;
    return new JsonText(this.file, text.slice(0, offset) + added + text.slice(offset + length));
  }

  private refuse(why: string): never {
    return stopped('bad_config', `${this.file} ${why}`);
  }
}
