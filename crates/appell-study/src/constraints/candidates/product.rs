//! Sums of logarithms and other functions, and how they are written without logarithms.

use super::factor::{Factor, whole_numbers};
use appell_expr::{Ex, Function, Rational};

/// `Sum a_i log l_i + rest`.
pub(crate) struct LogSum<'g> {
    /// The `l_i` with the `a_i`.
    pub logs: Vec<(Ex<'g>, Factor)>,
    /// Functions with their factors.
    pub rest: Vec<(Ex<'g>, Factor)>,
    /// What factors are made of, besides numbers.
    pub constants: Vec<Ex<'g>>,
    /// 1.
    pub one: Ex<'g>,
}
impl<'g> LogSum<'g> {
    /// The sum with its logarithms.
    pub fn value(&self) -> Ex<'g> {
        let logs = self.logs.iter().map(|(l, factor)| {
            let factor = factor.written(self.one, &self.constants);
            l.call(Function::Log) * factor
        });
        let all: Vec<Ex<'g>> = logs.chain([self.rest_over(None)]).collect();
        self.one.graph().sum(&all)
    }

    /// What is no logarithm, over a factor.
    pub fn rest_over(&self, scale: Option<&Factor>) -> Ex<'g> {
        let terms = self.rest.iter().map(|(x, factor)| {
            let over = scale.and_then(|scale| factor.over(scale));
            *x * over
                .as_ref()
                .unwrap_or(factor)
                .written(self.one, &self.constants)
        });
        self.one.graph().sum(&terms.collect::<Vec<_>>())
    }

    /// Without logarithms: `Prod l_i^n_i exp(rest)`, the powers whole numbers if there is a common
    /// factor for that. It is defined where the factors are negative, too.
    pub fn as_product(&self) -> Ex<'g> {
        if self.logs.is_empty() {
            return self.value();
        }
        let graph = self.one.graph();
        let scale = self.scale();
        let power = |(l, factor): &(Ex<'g>, Factor)| {
            let factor = factor.over(&scale).unwrap_or_else(|| factor.clone());
            match factor.as_number() {
                Some(number) => l.pow_rational(number),
                None => l.power(factor.written(self.one, &self.constants)),
            }
        };
        let powers: Vec<Ex<'g>> = self.logs.iter().map(power).collect();
        let product = graph.product(&powers);
        match self.rest.is_empty() {
            false => product * self.rest_over(Some(&scale)).call(Function::Exp),
            true => product,
        }
    }

    /// Whether [`Self::as_product`] is a product of whole powers.
    pub fn is_quotient(&self) -> bool {
        if self.logs.is_empty() {
            return false;
        }
        let scale = self.scale();
        let is_whole = |factor: &Factor| {
            let over = factor.over(&scale);
            over.is_some_and(|over| over.as_number().is_some_and(Rational::is_integer))
        };
        self.rest.is_empty() && self.logs.iter().all(|(_, factor)| is_whole(factor))
    }

    /// What the exponents are divided by: whole numbers are left, most of them positive.
    fn scale(&self) -> Factor {
        let (_, last) = &self.logs[self.logs.len() - 1];
        let ratios = self.logs.iter().map(|(_, factor)| factor.over(last));
        let ratios: Option<Vec<Factor>> = ratios.collect();
        let numbers = ratios.and_then(|ratios| {
            let numbers = ratios.iter().filter_map(|x| x.as_number().cloned());
            let numbers: Vec<Rational> = numbers.collect();
            (numbers.len() == ratios.len()).then_some(numbers)
        });
        let Some(whole) = numbers.as_deref().and_then(whole_numbers) else {
            return last.clone();
        };
        let (end, sum) = (whole[whole.len() - 1], whole.iter().sum::<i64>());
        let sign = if sum < 0 { -1 } else { 1 };
        last.scaled(&Rational::new(sign, end))
    }
}
