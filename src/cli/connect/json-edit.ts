import { getNodeValue, parseTree, type Node, type ParseError } from 'jsonc-parser';
import { parseHint } from '../../core/config/config-text';
import { fail } from '../command';

/**
 * Edits JSON with comments and keeps all other bytes: `withoutValue` restores the text from before
 * `withValue`. `modify` of jsonc-parser would reformat the surrounding lines.
 */
export class JsonText {
  private readonly root: Node;

  /**
   * @param file for messages
   * @throws EarlyExit if it is not a JSON object, or an object on the path has a key twice
   */
  constructor(
    private readonly file: string,
    readonly text: string,
  ) {
    const errors: ParseError[] = [];
    const root = this.parse(errors);
    const [first] = errors;
    if (first !== undefined) {
      const line = text.slice(0, first.offset).split('\n').length;
      const { message, fix } = parseHint(first);
      this.refuse(`can't be read as JSON, line ${line}: ${message}. ${fix} Then try again.`);
    }
    if (root?.type !== 'object') this.refuse('is not a JSON object. Repair it, then try again.');
    this.root = root;
  }

  private parse(errors: ParseError[]): Node | undefined {
    try {
      // JSON has no byte order mark; a blank in its place keeps the offsets.
      const plain = this.text.replace(/^\ufeff/, ' ');
      return parseTree(plain, errors, { allowTrailingComma: true });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.refuse('is nested too deep to be read. Repair it, then try again.');
    }
  }

  /** The value at a path of keys; undefined if there is none. */
  value(keys: readonly string[]): unknown {
    const { node, missing } = this.find(keys);
    return missing.length > 0 ? undefined : (getNodeValue(node) as unknown);
  }

  /**
   * The text with a value at a path of keys. Replaces an existing value, and creates missing
   * objects.
   */
  withValue(keys: readonly string[], value: unknown): JsonText {
    const { node, missing } = this.find(keys);
    const [key, ...inner] = missing;
    if (key === undefined) {
      if (JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return this;
      return this.splice(node.offset, node.length, this.stringify(value, this.indent(node.offset)));
    }
    if (node.type !== 'object') {
      this.refuse(`has no object above "${missing.join('.')}". Repair it, then try again.`);
    }
    const nested = inner.reduceRight((deeper: unknown, name) => ({ [name]: deeper }), value);
    const property = (indent: string | undefined): string =>
      `${JSON.stringify(key)}: ${this.stringify(nested, indent)}`;
    const last = node.children?.at(-1);
    // Without a blank before it, which distinguishes it from an object that was created here.
    if (last === undefined) {
      return this.splice(node.offset + 1, 0, property(this.indent(node.offset)));
    }
    const at = last.offset + last.length;
    const { comma, end } = this.commaAfter(last);
    const between = this.text.slice(at, end);
    // After a line comment a new line is required.
    const indent = this.indent(last.offset, true) ?? (between.includes('//') ? '' : undefined);
    const added = (indent === undefined ? ' ' : this.eol + indent) + property(indent);
    if (comma !== undefined) return this.splice(Math.max(end, comma + 1), 0, `${added},`);
    return this.splice(at, end - at, `,${between}${added}`);
  }

  /**
   * The text without the value at a path of keys, and without the objects that `withValue` created
   * for it.
   */
  withoutValue(keys: readonly string[]): JsonText {
    const { node, missing } = this.find(keys);
    const property = node.parent;
    const object = property?.parent;
    if (missing.length > 0 || property === undefined || object?.children === undefined) return this;
    const blank = /(?:\r?\n[ \t]*| )?$/.exec(this.text.slice(0, property.offset))?.[0].length ?? 0;
    const wasMade = blank > 0 && object !== this.root;
    if (wasMade && this.isBare(object, property)) return this.withoutValue(keys.slice(0, -1));
    const { comma } = this.commaAfter(property);
    const before = object.children[object.children.indexOf(property) - 1];
    const lost = comma ?? (before === undefined ? undefined : this.commaAfter(before).comma);
    const at = property.offset - blank;
    const cuts = [[at, property.offset + property.length] as const];
    if (lost !== undefined) cuts.push([lost, lost + 1]);
    // From the end, so that the offsets stay valid.
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

  /** The comma after a property, if there is one, and the end of the comments after it. */
  private commaAfter({ offset, length }: Node): { readonly comma?: number; readonly end: number } {
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

  /** Whether an object contains only this property, and no comments. */
  private isBare({ offset, length }: Node, property: Node): boolean {
    const before = this.text.slice(offset + 1, property.offset);
    const after = this.text.slice(property.offset + property.length, offset + length - 1);
    return before.trim() === '' && /^,?$/.test(after.trim());
  }

  /**
   * The indentation of the line at an offset; undefined if the text is a single line.
   * @param first only if nothing else precedes the offset in its line
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

  /** @param indent of its line; undefined: writes a single line */
  private stringify(value: unknown, indent: string | undefined): string {
    if (indent === undefined) return JSON.stringify(value).replace(/^\{(?=")/, '{ ');
    const unit = /\n([ \t]+)"/.exec(this.text)?.[1] ?? '  ';
    return JSON.stringify(value, null, unit).replaceAll('\n', this.eol + indent);
  }

  private splice(offset: number, length: number, added: string): JsonText {
    const { text } = this;
    return new JsonText(this.file, text.slice(0, offset) + added + text.slice(offset + length));
  }

  private refuse(why: string): never {
    return fail('bad_config', `${this.file} ${why}`);
  }
}
