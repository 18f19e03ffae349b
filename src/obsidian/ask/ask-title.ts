/**
 * Id of the dialog's title, which names the form for screen readers. The app shows an `aria-label`
 * as a tooltip over the whole form, so the form has none.
 */
export const ASK_TITLE_ID = 'atb-ask-title';
