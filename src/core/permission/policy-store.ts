import { KeyedQueue } from '../keyed-queue';
import { StoreError, type NoteStore, type Undo } from '../ports';
import { storeRefusal } from '../fault/store-faults';
import { SHARED_SETTINGS_PATH, sharedSettingsOf, type SharedSettings } from '../shared-settings';
import { alwaysProposal, type AlwaysProposal } from './always-proposals';
import { decide, decideBoth, type Decision, type AccessRequest } from './decide';
import {
  ASK_FOR_ALL,
  DEFAULT_PERMISSIONS,
  flattenRules,
  MAX_RULES,
  readPermissions,
  samePermissions,
  type Permissions,
} from './permissions';
import type { AccessRules } from './access-rules';
import { compilePolicy, policyAsks, type AccessPolicy } from './policy';
import type { ProtectedPlaces } from './protected-places';
import type { AccessKind, Rule } from './rule';
import { ruleChanges, type RuleChange } from './rule-changes';

/** Stores the rules that the person confirmed, outside the file that agents could write. */
export interface ConfirmedRules {
  /** undefined if nothing was ever saved */
  load(): Promise<unknown>;
  save(permissions: Permissions): Promise<void>;
}

/** A change of the settings file that was made outside and that the person has not confirmed. */
interface UnconfirmedChange {
  readonly changes: readonly RuleChange[];
  /** why the file is invalid; then there is nothing to confirm */
  readonly problem: string | undefined;
  /** the permissions in the file */
  readonly permissions: Permissions;
  /** whether writing the confirmed permissions into the file would make it valid */
  readonly canPutBack: boolean;
}

const NOT_CONFIRMED = 'The rules were changed outside, and you have not confirmed them.';

/**
 * The rules in the shared settings, compared with those that the person confirmed. If they differ,
 * the stricter verdict applies, so a change from outside can only narrow access.
 */
export class PolicyStore implements AccessRules {
  private places: ProtectedPlaces;
  private confirmed = ASK_FOR_ALL;
  private filePermissions = ASK_FOR_ALL;
  private problem: string | undefined;
  /** the file's text as last read; undefined if it was not read yet or reading failed */
  private last: { readonly text: string | undefined } | undefined;
  /** cache of `policies`, filled on first use: compiling takes a third of the plugin's start */
  private compiled: readonly [AccessPolicy, AccessPolicy?] | undefined;
  private change: UnconfirmedChange | undefined;
  private readonly queue = new KeyedQueue();
  private readonly listeners = new Set<() => void>();
  /** whether a change has not been reported to the listeners yet */
  private hasUnreportedChange = false;

  constructor(
    private readonly deps: { store: NoteStore; places: ProtectedPlaces; confirmed: ConfirmedRules },
  ) {
    this.places = deps.places;
  }

  /** Reads the confirmed rules and the settings file. Until it resolves, everything asks. */
  load(): Promise<void> {
    return this.enqueue(async () => {
      const saved = await this.deps.confirmed.load();
      const read = saved === undefined ? DEFAULT_PERMISSIONS : readPermissions(saved);
      // The confirmed rules are invalid, so they are lost.
      this.confirmed = 'ok' in read ? ASK_FOR_ALL : read;
      this.last = undefined;
      await this.refresh();
    });
  }

  /** Call when the shared settings may have changed. */
  fileChanged(): Promise<void> {
    return this.enqueue(() => this.refresh());
  }

  /** Call when the board folder changed. */
  setPlaces(places: ProtectedPlaces): void {
    this.places = places;
    this.update();
    this.notifyListeners();
  }

  /** The permissions in the file, which the person sees and edits. */
  get permissions(): Permissions {
    return this.filePermissions;
  }

  /** The policy of {@link permissions}. */
  get policy(): AccessPolicy {
    return this.policies[0];
  }

  decide(request: AccessRequest): Decision {
    const [filePolicy, confirmed] = this.policies;
    if (confirmed === undefined) return decide(filePolicy, request);
    const decision = decideBoth([filePolicy, confirmed], request);
    if (decision.verdict === decide(filePolicy, request).verdict) return decision;
    return { ...decision, why: `${decision.why} ${NOT_CONFIRMED}` };
  }

  asksAbout(operation: AccessKind): boolean {
    return this.policies.some((policy) => policy !== undefined && policyAsks(policy, operation));
  }

  /**
   * A rule is proposed only if, appended to both sets of rules, it overrides no denial of either.
   */
  proposeAlways(request: AccessRequest): AlwaysProposal | undefined {
    if (this.decide(request).verdict !== 'ask') return undefined;
    const policies = this.policies.filter((policy) => policy !== undefined);
    const asking = policies.find((policy) => decide(policy, request).verdict === 'ask');
    return asking && alwaysProposal(asking, request, policies);
  }

  /**
   * Appends a rule to the file's table and to the confirmed one. Other changes in the file stay
   * unconfirmed. If the process ends between the two writes, the rule waits for confirmation.
   */
  add(rule: Rule): Promise<void> {
    return this.enqueue(async () => {
      const withRule = (now: Permissions) => {
        if (now.rules.length >= MAX_RULES)
          throw storeRefusal('denied', 'rulesFull', { most: MAX_RULES });
        return { ...now, rules: [...now.rules, rule] };
      };
      const confirmed = withRule(this.confirmed);
      await this.write((text) => editPermissions(text, withRule));
      await this.saveConfirmed(confirmed);
    });
  }

  /**
   * Saves the person's edit of the table.
   * @throws StoreError if the file has changed since, or is not confirmed
   */
  edit(edit: (now: Permissions) => Permissions): Promise<void> {
    return this.enqueue(async () => {
      let after = this.confirmed;
      await this.write((text) =>
        editPermissions(text, (now) => {
          if (!samePermissions(now, this.confirmed)) throw storeRefusal('busy', 'rulesChanged');
          return (after = edit(now));
        }),
      );
      await this.saveConfirmed(after);
    });
  }

  /** The unconfirmed change of the file; undefined if there is none. */
  foreign(): UnconfirmedChange | undefined {
    return this.change;
  }

  /** Confirms exactly what the person saw, even if the file has changed since. */
  confirm(seen: UnconfirmedChange): Promise<void> {
    return this.enqueue(async () => {
      if (seen.problem === undefined) await this.saveConfirmed(seen.permissions);
    });
  }

  /** Overwrites the permissions in the file with the confirmed ones. */
  putBack(): Promise<void> {
    return this.enqueue(() => this.write((text) => replacePermissions(text, this.confirmed)));
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private enqueue<T>(task: () => Promise<T>): Promise<T> {
    return this.queue.run('', async () => {
      try {
        return await task();
      } finally {
        this.notifyListeners();
      }
    });
  }

  private async write(edit: (text: string | undefined) => string | undefined): Promise<void> {
    try {
      await this.deps.store.update(SHARED_SETTINGS_PATH, edit);
    } finally {
      await this.refresh();
    }
  }

  private async saveConfirmed(permissions: Permissions): Promise<void> {
    await this.deps.confirmed.save(permissions);
    this.confirmed = permissions;
    this.update();
  }

  private async refresh(): Promise<void> {
    const read = await this.read();
    if (read === undefined) return;
    this.filePermissions = read.permissions;
    this.problem = read.permissions === ASK_FOR_ALL ? read.problem : undefined;
    this.update();
  }

  /** Reads the settings. Returns undefined if they have not changed. */
  private async read(): Promise<Pick<SharedSettings, 'permissions' | 'problem'> | undefined> {
    try {
      const text = await this.deps.store.read(SHARED_SETTINGS_PATH);
      if (this.last !== undefined && this.last.text === text) return undefined;
      this.last = { text };
      return sharedSettingsOf(text);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.last = undefined;
      return { permissions: ASK_FOR_ALL, problem: error.message };
    }
  }

  private update(): void {
    this.compile();
    this.hasUnreportedChange = true;
  }

  /**
   * Notifies the listeners once a change is complete: after the file is written but not yet
   * confirmed, it would look like a change from outside.
   */
  private notifyListeners(): void {
    if (!this.hasUnreportedChange) return;
    this.hasUnreportedChange = false;
    for (const listener of [...this.listeners]) listener();
  }

  /** The policy of the file and, if it differs, that of the confirmed rules. */
  private get policies(): readonly [AccessPolicy, AccessPolicy?] {
    return this.compiled ?? this.compile();
  }

  private compile(): readonly [AccessPolicy, AccessPolicy?] {
    const filePolicy = compilePolicy(this.filePermissions, this.places);
    this.change = undefined;
    const { problem } = this;
    if (problem === undefined && samePermissions(this.filePermissions, this.confirmed)) {
      return (this.compiled = [filePolicy]);
    }
    const confirmed = compilePolicy(this.confirmed, this.places);
    this.compiled = [filePolicy, confirmed];
    const changes = problem === undefined ? ruleChanges(confirmed, filePolicy) : [];
    const canPutBack = this.last !== undefined && canReplace(this.last.text, this.confirmed);
    this.change = { changes, problem, permissions: this.filePermissions, canPutBack };
    return this.compiled;
  }
}

/**
 * Changes the permissions in the text of the shared settings. Keeps everything else, including
 * fields of later versions in parts that did not change.
 * @throws StoreError if the settings are invalid, or would be after the change
 */
function editPermissions(
  text: string | undefined,
  edit: (now: Permissions) => Permissions,
): string | undefined {
  const { permissions: now, problem } = sharedSettingsOf(text);
  if (now === ASK_FOR_ALL) {
    throw storeRefusal('denied', 'settingsBroken', { why: problem ?? '' });
  }
  const after = edit(now);
  if (after === now) return text;
  assertValid(after);
  const settings = parseObject(text);
  const raw = isObject(settings['permissions']) ? settings['permissions'] : {};
  const permissions = {
    ...raw,
    ...(after.preset !== now.preset && { preset: after.preset }),
    ...(after.scopes !== now.scopes && {
      scopes: keepRawEntries(after.scopes, now.scopes, raw['scopes']),
    }),
    ...(after.rules !== now.rules && {
      rules: keepRawEntries(after.rules, now.rules, flattenRules(raw['rules'])),
    }),
  };
  return serializeSettings({ ...settings, permissions });
}

/**
 * Replaces the permissions in the text of the shared settings, even invalid ones.
 * @throws StoreError if the text is not a JSON object
 */
function replacePermissions(text: string | undefined, permissions: Permissions): string {
  return serializeSettings({ ...parseObject(text), permissions });
}

/** Whether the settings would be valid with these permissions. */
function canReplace(text: string | undefined, permissions: Permissions): boolean {
  if (text !== undefined && !isObject(parseJsonText(text))) return false;
  return sharedSettingsOf(replacePermissions(text, permissions)).permissions !== ASK_FOR_ALL;
}

/** Keeps the original JSON of entries that did not change. */
function keepRawEntries(
  after: readonly unknown[],
  now: readonly unknown[],
  raw: unknown,
): unknown[] {
  const texts: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return after.map((one) => texts[now.indexOf(one)] ?? one);
}

/** Throws a `StoreError` if the file would be invalid with these permissions. */
function assertValid(permissions: Permissions): void {
  const read = readPermissions(JSON.parse(JSON.stringify(permissions)));
  if (!('ok' in read)) return;
  const words = read.message.replace(/^[^.]*\. /, '');
  throw storeRefusal('denied', 'notSavable', { why: words });
}

function parseObject(text: string | undefined): Record<string, unknown> {
  const value = text === undefined ? {} : parseJsonText(text);
  if (isObject(value)) return value;
  throw storeRefusal('denied', 'notObject', { path: SHARED_SETTINGS_PATH });
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function serializeSettings(settings: object): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
