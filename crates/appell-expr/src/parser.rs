//! Tokens to the list of nodes: an operator-precedence parser with its own stack.
//!
//! From weakest to strongest: `+ -`, then `* /`, then the sign `-`, then `^`, then the prime.
//! `^` groups to the right, the others to the left. There is no recursion, so the machine's stack
//! does not limit what can be read; [`MAX_DEPTH`] does, for the sake of whoever works on the
//! formula afterwards.

mod mistakes;

use crate::ast::{Ast, AstId, AstKind, Axis, Operator, Relation, Sentence};
use crate::lexer::{Bracket, Token, TokenKind, tokenise};
use crate::num::Rational;
use crate::span::Span;
use crate::syntax_error::{
    MAX_DEPTH, MAX_LENGTH, MAX_NUMBER_LENGTH, SyntaxError, SyntaxErrorKind, brief,
};
use mistakes::unclosed;

/// Reads one formula: an expression, or two with one relation `= < <= > >=` between them.
///
/// Names are taken as written; whether `a(b)` is a function of `b` or a product without its `*`
/// is for the reader of the tree to say.
///
/// # Errors
/// The leftmost mistake, with its place. Texts above 1 MiB and formulas nested deeper than 256
/// levels (brackets, signs and powers together) are refused.
pub fn parse(text: &str) -> Result<Sentence, SyntaxError> {
    if text.len() > MAX_LENGTH {
        let first = text.chars().next().map_or(0, char::len_utf8);
        return Err(SyntaxErrorKind::TooLong { bytes: text.len() }.at(Span::new(0, first)));
    }
    let tokens = tokenise(text);
    let mut parser = Parser::new(text, &tokens.list, tokens.error);
    loop {
        parser.operand()?;
        if let Ended::Sentence = parser.after_operand()? {
            return Ok(parser.sentence());
        }
    }
}

/// A finished expression, with the place it takes up together with brackets around it.
#[derive(Clone, Copy)]
struct Operand {
    id: AstId,
    span: Span,
}

/// What waits for the operands to its right.
#[derive(Clone, Copy)]
enum Pending {
    Sign(Span),
    Binary(Operator),
    Bracket(Opened),
}

/// A bracket that is open.
#[derive(Clone, Copy)]
struct Opened {
    form: Form,
    span: Span,
    /// The number of operands outside, to its left.
    outside: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Group,
    Vector,
    /// The brackets of a function, whose name stands here.
    Call(Span),
}

/// What ends an operand together with its primes.
enum Ended {
    Operand,
    Sentence,
}

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// The mistake that the last token, the end, stands for.
    lexical: Option<SyntaxError>,
    /// The next token to read.
    at: usize,
    ast: Ast,
    operands: Vec<Operand>,
    pending: Vec<Pending>,
    /// How many of the pending are signs, powers or brackets.
    depth: usize,
    relation: Option<(AstId, Relation, Span)>,
}

// Reading from left to right.
impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t [Token], lexical: Option<SyntaxError>) -> Self {
        Self {
            text,
            tokens,
            lexical,
            at: 0,
            ast: Ast::default(),
            operands: Vec::new(),
            pending: Vec::new(),
            depth: 0,
            relation: None,
        }
    }

    /// The next token; beyond the end, the end again.
    fn peek(&self) -> Token {
        let last = self
            .tokens
            .last()
            .expect("the lexer closes every list with an end");
        *self.tokens.get(self.at).unwrap_or(last)
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Reads signs and opening brackets up to and including a number, a name or an axis.
    fn operand(&mut self) -> Result<(), SyntaxError> {
        loop {
            let token = self.advance();
            let span = token.span;
            match (token.kind, self.peek().kind) {
                (TokenKind::Number, _) => return self.number(span),
                (TokenKind::Name, TokenKind::Open(Bracket::Round)) => {
                    let open = self.advance();
                    self.open(Form::Call(span), open.span)?;
                }
                (TokenKind::Name, TokenKind::Dot) => return self.axis(span),
                (TokenKind::Name, _) => {
                    self.push(AstKind::Name(span.of(self.text).to_owned()), span);
                    return Ok(());
                }
                (TokenKind::Open(Bracket::Round), _) => self.open(Form::Group, span)?,
                (TokenKind::Open(Bracket::Square), _) => self.open(Form::Vector, span)?,
                (TokenKind::Operator(Operator::Sub), _) => self.wait(Pending::Sign(span), span)?,
                _ => return Err(self.no_operand(token)),
            }
        }
    }

    /// Reads primes and closing brackets up to and including what lets another operand follow.
    fn after_operand(&mut self) -> Result<Ended, SyntaxError> {
        loop {
            let token = self.advance();
            match token.kind {
                TokenKind::Prime => self.primes(token.span),
                TokenKind::Close(bracket) => self.close(bracket, token.span)?,
                TokenKind::Operator(operator) => {
                    self.operator(operator, token.span)?;
                    return Ok(Ended::Operand);
                }
                TokenKind::Comma => {
                    self.comma(token.span)?;
                    return Ok(Ended::Operand);
                }
                TokenKind::Relation(relation) => {
                    self.relate(relation, token.span)?;
                    return Ok(Ended::Operand);
                }
                TokenKind::End => {
                    self.end()?;
                    return Ok(Ended::Sentence);
                }
                TokenKind::Dot => return Err(self.component(token)),
                TokenKind::Number | TokenKind::Name | TokenKind::Open(_) => {
                    return Err(self.side_by_side(token));
                }
            }
        }
    }

    fn number(&mut self, span: Span) -> Result<(), SyntaxError> {
        let text = span.of(self.text);
        if text.len() > MAX_NUMBER_LENGTH {
            return Err(SyntaxErrorKind::NumberTooLong { bytes: text.len() }.at(span));
        }
        let value = Rational::from_decimal(text).filter(|value| value.to_f64().is_finite());
        let Some(value) = value else {
            let text = brief(text);
            return Err(SyntaxErrorKind::NumberOutOfRange { text }.at(span));
        };
        self.push(AstKind::Number(value), span);
        Ok(())
    }

    /// `F.x`, from the point on.
    fn axis(&mut self, frame: Span) -> Result<(), SyntaxError> {
        let point = self.advance().span;
        let letter = match self.peek().kind {
            TokenKind::Name | TokenKind::Number => self.advance().span,
            _ => Span::new(point.end, point.end),
        };
        let (span, name) = (frame.to(letter), frame.of(self.text));
        let axis = match letter.of(self.text) {
            "x" => Axis::X,
            "y" => Axis::Y,
            "z" => Axis::Z,
            other => {
                let (frame, axis) = (brief(name), brief(other));
                return Err(SyntaxErrorKind::UnknownAxis { frame, axis }.at(span));
            }
        };
        let frame = name.to_owned();
        self.push(AstKind::Axis { frame, axis }, span);
        Ok(())
    }

    /// All primes in a row, of which the first has been read.
    fn primes(&mut self, first: Span) {
        let (mut count, mut last) = (1, first);
        while self.peek().kind == TokenKind::Prime {
            last = self.advance().span;
            count += 1;
        }
        let operand = self.take();
        self.push(AstKind::Prime(operand.id, count), operand.span.to(last));
    }

    fn operator(&mut self, operator: Operator, span: Span) -> Result<(), SyntaxError> {
        if operator == Operator::Pow {
            // Nothing binds tighter, and an earlier power waits for this one.
            return self.wait(Pending::Binary(operator), span);
        }
        self.apply_down_to(strength(operator));
        self.pending.push(Pending::Binary(operator));
        Ok(())
    }

    fn relate(&mut self, relation: Relation, span: Span) -> Result<(), SyntaxError> {
        match self.apply_up_to_bracket() {
            Some(_) if self.is_closed_later() => {
                return Err(SyntaxErrorKind::RelationInBracket.at(span));
            }
            Some(opened) => return Err(unclosed(opened)),
            None if self.relation.is_some() => return Err(SyntaxErrorKind::TwoRelations.at(span)),
            None => self.relation = Some((self.take().id, relation, span)),
        }
        Ok(())
    }

    fn comma(&mut self, span: Span) -> Result<(), SyntaxError> {
        match self.apply_up_to_bracket() {
            Some(Opened {
                form: Form::Call(_) | Form::Vector,
                ..
            }) => Ok(()),
            _ => Err(SyntaxErrorKind::StrayComma {
                decimal: self.decimal_comma(),
                after_relation: self.relation.is_some(),
            }
            .at(span)),
        }
    }

    fn end(&mut self) -> Result<(), SyntaxError> {
        if let Some(error) = self.lexical.take() {
            return Err(error);
        }
        match self.apply_up_to_bracket() {
            Some(opened) => Err(unclosed(opened)),
            None => Ok(()),
        }
    }

    fn sentence(mut self) -> Sentence {
        let last = self.take().id;
        let (lhs, relation, rhs) = match self.relation {
            Some((lhs, relation, span)) => (lhs, Some((relation, span)), Some(last)),
            None => (last, None, None),
        };
        Sentence {
            ast: self.ast,
            lhs,
            relation,
            rhs,
        }
    }
}

// Building, from the inside out.
impl Parser<'_> {
    fn push(&mut self, kind: AstKind, span: Span) {
        let id = self.ast.push(kind, span);
        self.operands.push(Operand { id, span });
    }

    fn take(&mut self) -> Operand {
        self.operands
            .pop()
            .expect("operators are applied only after their operands were read")
    }

    /// Puts off a sign, a power or a bracket, all of which nest.
    fn wait(&mut self, pending: Pending, span: Span) -> Result<(), SyntaxError> {
        if self.depth == MAX_DEPTH {
            return Err(SyntaxErrorKind::TooDeep.at(span));
        }
        self.depth += 1;
        self.pending.push(pending);
        Ok(())
    }

    fn open(&mut self, form: Form, span: Span) -> Result<(), SyntaxError> {
        let outside = self.operands.len();
        let opened = Opened {
            form,
            span,
            outside,
        };
        self.wait(Pending::Bracket(opened), span)
    }

    fn close(&mut self, bracket: Bracket, span: Span) -> Result<(), SyntaxError> {
        let Some(opened) = self.apply_up_to_bracket() else {
            let closing = bracket.closing();
            return Err(SyntaxErrorKind::UnopenedBracket { closing }.at(span));
        };
        let expected = opened.form.bracket();
        if bracket != expected {
            let kind = SyntaxErrorKind::MismatchedBracket {
                opening: expected.opening(),
                expected: expected.closing(),
                found: bracket.closing(),
            };
            return Err(kind.at(span));
        }
        self.pending.pop();
        self.depth -= 1;
        self.enclose(opened, span);
        Ok(())
    }

    /// Makes what stands inside a bracket one operand.
    fn enclose(&mut self, opened: Opened, end: Span) {
        let span = opened.span.to(end);
        match opened.form {
            Form::Group => {
                let id = self.take().id;
                self.operands.push(Operand { id, span });
            }
            Form::Vector => {
                let components = self.take_inside(opened);
                self.push(AstKind::Vector(components), span);
            }
            Form::Call(name_span) => {
                let name = name_span.of(self.text).to_owned();
                let args = self.take_inside(opened);
                let kind = AstKind::Call {
                    name,
                    name_span,
                    args,
                };
                self.push(kind, name_span.to(end));
            }
        }
    }

    fn take_inside(&mut self, opened: Opened) -> Vec<AstId> {
        let inside = self.operands.drain(opened.outside..);
        inside.map(|operand| operand.id).collect()
    }

    /// Applies what is pending back to the innermost open bracket, and returns that.
    fn apply_up_to_bracket(&mut self) -> Option<Opened> {
        self.apply_down_to(0);
        match self.pending.last() {
            Some(Pending::Bracket(opened)) => Some(*opened),
            _ => None,
        }
    }

    /// Applies the pending signs and operators that bind at least as strongly as `weakest`.
    fn apply_down_to(&mut self, weakest: u8) {
        while let Some(pending) = self.pending.last().copied() {
            match pending {
                Pending::Sign(minus) if STRENGTH_OF_SIGN >= weakest => {
                    self.depth -= 1;
                    let operand = self.take();
                    self.push(AstKind::Neg(operand.id), minus.to(operand.span));
                }
                Pending::Binary(operator) if strength(operator) >= weakest => {
                    self.depth -= usize::from(operator == Operator::Pow);
                    let (right, left) = (self.take(), self.take());
                    let kind = AstKind::Binary(operator, left.id, right.id);
                    self.push(kind, left.span.to(right.span));
                }
                _ => return,
            }
            self.pending.pop();
        }
    }
}

/// How strongly a sign holds its operand, on the scale of [`strength`].
const STRENGTH_OF_SIGN: u8 = 3;

/// How strongly an operator holds its operands; the sign stands between product and power.
fn strength(operator: Operator) -> u8 {
    match operator {
        Operator::Add | Operator::Sub => 1,
        Operator::Mul | Operator::Div => 2,
        Operator::Pow => 4,
    }
}

impl Form {
    fn bracket(self) -> Bracket {
        match self {
            Self::Group | Self::Call(_) => Bracket::Round,
            Self::Vector => Bracket::Square,
        }
    }
}
