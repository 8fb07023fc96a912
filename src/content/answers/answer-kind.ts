/**
 * The kind of value that a question asks for. A `passage` is any text: of explanations, and of questions that no rule
 * understands.
 */
export type AnswerKind =
  | "summary"
  | "price"
  | "date"
  | "name"
  | "number"
  | "yes-no"
  | "place"
  | "email"
  | "phone"
  | "passage";
