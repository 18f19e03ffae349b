/** A text with names in braces for what is put in: `Undo {action}`. */
export type Message = string | PluralForms;

/** One text for each form of a number that the language has; `{count}` is the number. */
export type PluralForms = { readonly other: string } & {
  readonly [Form in Exclude<Intl.LDMLPluralRule, 'other'>]?: string;
};

/** The texts of one part of the plugin by their names. */
export type Messages = Readonly<Record<string, Message>>;

export type TextOf<M> = M extends string ? M : M extends PluralForms ? M[keyof M] : never;
