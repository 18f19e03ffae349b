/** A text with placeholders in braces: `Undo {action}`. */
export type Message = string | PluralForms;

/** One text for each plural form of the language; `{count}` is the number. */
export type PluralForms = { readonly other: string } & {
  readonly [Form in Exclude<Intl.LDMLPluralRule, 'other'>]?: string;
};

/** The texts of one part of the plugin, by name. */
export type Messages = Readonly<Record<string, Message>>;

export type TextOf<M> = M extends string ? M : M extends PluralForms ? M[keyof M] : never;
