// Package sgyaml reads configurations from YAML documents, strictly, and writes them.
//
// Every Config of the project is plain data, and a document says the same with the
// same names. So nothing has to be described twice: [Unmarshal] fills in any of these
// structs, [Marshal] writes one down, and whatever is wrong is reported all at once, with
// the line to look at.
//
// # Spelling
//
// A key is the name of the Go field with a small beginning: HalfOpen is halfOpen. Of
// capitals in a row at the beginning, all become small that do not begin the next
// word: TTL is ttl, and HTTPServer would be httpServer. What follows stays as it is:
// MaxRTT would be maxRTT.
//
// The type of the field decides what a value means, never its looks: a name may be
// no, or 010.
//
//	duration    1.5s, 2m30s; a number without a unit is an error
//	percentage  50 or 50%
//	number      20, 0.25, .inf
//	bool        true or false
//	Off         off, in the place of a duration, percentage or number
//	name        the text that the type's UnmarshalText reads
//	text        as it stands, quoted or not
//	list        [a, b], or one "- a" a line
//	struct      {key: value}, or one "key: value" a line
//	pointer     what it points to; {} are its defaults, null is none
//
// A key that is absent leaves a field zero, which the configurations take for their
// default. So does a zero that is written down, which is hardly what it was written for:
// [Document.Zeros] finds these. A key without a value is an error: it may be that
// somebody meant "none", or that the lines below lost their indentation.
//
// Fields that are functions or interfaces have no place in a document, nor have those
// that are not exported.
//
// Unknown keys, keys given twice, tags, merge keys (<<) and a second document are
// errors.
//
// # Model
//
// A [Document] is a tree of values that remember where they were written. It never
// changes: [Document.Set] returns another one. [Document.Decode] looks at types and
// spelling only. Bounds are checked by whatever the configuration is for;
// [Document.Locate] finds the places in the document for what that has to say.
//
// A field of the type *[Document] takes any value as it stands, for a later look.
//
// # Contract
//
// Input is bounded, by [Limits]: bytes, depth, and the number of values, counted as if
// each alias were written out. So no document takes more time or memory than is in
// proportion to these. No input makes the package panic. Errors that concern a
// document are of type [*Error], and match [switchgear.ErrConfig].
//
// Everything here is safe for concurrent use.
//
// # What it does not do
//
// There are no includes, no variables and no templates. Comments are not kept.
package sgyaml
